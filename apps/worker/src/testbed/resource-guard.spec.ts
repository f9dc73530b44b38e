import { tmpdir } from 'node:os';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { reservesOf, ResourceGuard } from './resource-guard';

const MIB = 1024 * 1024;
const limits = {
  workPath: '/w',
  freeDiskBytesMin: 2048 * MIB,
  freeInodesMin: 1000,
  freeMemoryBytesMin: 1024 * MIB,
  resultsWaitingMax: 10,
};

function makeOffer(problem?: string, currentLimits = limits) {
  const resources = { disk: 4096 * MIB, inodes: 5000, memory: 2048 * MIB };
  const resultState: { problem: string | null; waiting: number } = { problem: null, waiting: 0 };
  const results = { problem: () => resultState.problem, waiting: () => resultState.waiting };
  const reserves = jest.fn(() => resources);
  const onWanted = jest.fn();
  const testbeds = {
    currentOffer: () => ({
      testbeds: [],
      variants: ['autopkgtest'],
      ...(problem !== undefined && { problem }),
    }),
    requestTestbeds: onWanted,
  };
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = { log: (line: string) => void lines.push(line), warn: (line: string) => void lines.push(line) };
  const offer = new ResourceGuard({ testbeds, limits: () => currentLimits, results, clock, log, reserves });
  return { resources, resultState, reserves, wanted: onWanted, clock, lines, offer };
}

it('the resource guard changes nothing while there is enough', () => {
  const { offer, wanted: onWanted } = makeOffer();
  expect(offer.currentOffer('amd64')).toEqual({ testbeds: [], variants: ['autopkgtest'] });
  offer.requestTestbeds('amd64', [{ suite: 'trixie', backend: 'unshare' }]);
  expect(onWanted).toHaveBeenCalledWith('amd64', [{ suite: 'trixie', backend: 'unshare' }]);
});

it.each([
  [{ disk: 2048 * MIB - 1 }, '2047 MiB free on the disk of /w, less than freeDiskBytesMin (2048 MiB)'],
  [{ inodes: 999 }, '999 inodes free on the disk of /w, less than freeInodesMin (1000)'],
  [{ memory: 5 * MIB }, '5 MiB of memory free, less than freeMemoryBytesMin (1024 MiB)'],
  [
    { disk: 0, memory: 0 },
    '0 MiB free on the disk of /w, less than freeDiskBytesMin (2048 MiB); ' +
      '0 MiB of memory free, less than freeMemoryBytesMin (1024 MiB)',
  ],
])('a worker takes no work with %j, and takes some again once there is more', (lack, problem) => {
  const { offer, resources } = makeOffer();
  const enough = { ...resources };
  Object.assign(resources, lack);
  expect(offer.currentOffer('amd64').problem).toBe(problem);
  Object.assign(resources, enough);
  expect(offer.currentOffer('amd64')).not.toHaveProperty('problem');
});

it('a worker takes no work while results cannot be kept, or too many wait, and takes some again by itself', () => {
  const { offer, resultState, lines } = makeOffer();
  resultState.problem = 'EDQUOT: disk quota exceeded';
  expect(offer.currentOffer('amd64').problem).toBe(
    'results cannot be kept on disk: EDQUOT: disk quota exceeded',
  );
  resultState.problem = null;
  resultState.waiting = 10;
  expect(offer.currentOffer('amd64').problem).toBe('10 results wait for an answer, resultsWaitingMax is 10');
  resultState.waiting = 9;
  expect(offer.currentOffer('amd64')).not.toHaveProperty('problem');
  expect(lines).toHaveLength(4);
  expect(lines.at(-1)).toBe('few enough results wait again');
});

it('a worker reports what it lacks and for how long, and logs when that begins and ends', async () => {
  const { offer, resources, clock, lines } = makeOffer();
  expect(offer.listLacks()).toEqual([]);
  resources.memory = 5 * MIB;
  offer.currentOffer('amd64');
  await clock.runUntil(20_000);
  resources.memory = 6 * MIB;
  resources.disk = 0;
  const memory = '6 MiB of memory free, less than freeMemoryBytesMin (1024 MiB)';
  expect(offer.listLacks()).toEqual([
    { of: 'disk', why: '0 MiB free on the disk of /w, less than freeDiskBytesMin (2048 MiB)', seconds: 0 },
    { of: 'memory', why: memory, seconds: 20 },
  ]);
  expect(lines).toHaveLength(2);
  resources.memory = 4096 * MIB;
  await clock.runUntil(30_000);
  expect(offer.listLacks()).toMatchObject([{ of: 'disk', seconds: 10 }]);
  expect(lines.slice(2)).toEqual(['there is enough memory again']);
});

it('a worker takes no work when it is not known what is left', () => {
  const { offer, reserves } = makeOffer();
  reserves.mockImplementation(() => {
    throw new Error("ENOENT: no such file or directory, statfs '/w'");
  });
  expect(offer.currentOffer('amd64').problem).toMatch(
    /^what is left on the disk of \/w cannot be read: .*ENOENT/,
  );
});

it('a worker uses limits that were changed meanwhile', () => {
  const current = { ...limits };
  const { offer } = makeOffer(undefined, current);
  expect(offer.currentOffer('amd64')).not.toHaveProperty('problem');
  current.freeDiskBytesMin = 8192 * MIB;
  expect(offer.currentOffer('amd64').problem).toContain('freeDiskBytesMin (8192 MiB)');
});

it('the resource guard leaves another problem as it is', () => {
  const { offer, resources } = makeOffer('no usable backend');
  resources.disk = 0;
  expect(offer.currentOffer('amd64').problem).toBe('no usable backend');
});

it('the resource guard reads what this machine has left', () => {
  const { disk, inodes, memory } = reservesOf(tmpdir());
  expect(inodes).toBeGreaterThan(0);
  expect(disk).toBeGreaterThan(0);
  expect(memory).toBeGreaterThan(MIB);
});
