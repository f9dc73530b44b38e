import { tmpdir } from 'node:os';
import { reservesOf, SelfProtection } from './self-protection';

const MIB = 1024 * 1024;
const limits = { workPath: '/w', freeDiskBytesMin: 2048 * MIB, freeMemoryBytesMin: 1024 * MIB };

function makeOffer(problem?: string) {
  const left = { disk: 2048 * MIB, memory: 1024 * MIB };
  const wanted = jest.fn();
  const testbeds = {
    offer: () => ({ testbeds: [], variants: ['autopkgtest'], ...(problem !== undefined && { problem }) }),
    wanted,
  };
  return {
    left,
    wanted,
    offer: new SelfProtection(
      testbeds,
      () => limits,
      () => left,
    ),
  };
}

it('changes nothing while there is enough', () => {
  const { offer, wanted } = makeOffer();
  expect(offer.offer('amd64')).toEqual({ testbeds: [], variants: ['autopkgtest'] });
  offer.wanted('amd64', [{ suite: 'trixie', backend: 'unshare' }]);
  expect(wanted).toHaveBeenCalledWith('amd64', [{ suite: 'trixie', backend: 'unshare' }]);
});

it.each([
  [{ disk: 2048 * MIB - 1 }, '2047 MiB free on the disk of /w, less than freeDiskBytesMin (2048 MiB)'],
  [{ memory: 5 * MIB }, '5 MiB of memory free, less than freeMemoryBytesMin (1024 MiB)'],
  [
    { disk: 0, memory: 0 },
    '0 MiB free on the disk of /w, less than freeDiskBytesMin (2048 MiB); ' +
      '0 MiB of memory free, less than freeMemoryBytesMin (1024 MiB)',
  ],
])('takes no work with %j, and takes some again once there is more', (lack, problem) => {
  const { offer, left } = makeOffer();
  const enough = { ...left };
  Object.assign(left, lack);
  expect(offer.offer('amd64').problem).toBe(problem);
  Object.assign(left, enough);
  expect(offer.offer('amd64')).not.toHaveProperty('problem');
});

it('goes by limits that were changed meanwhile', () => {
  const current = { ...limits };
  const testbeds = { offer: () => ({ testbeds: [], variants: [] }), wanted: jest.fn() };
  const offer = new SelfProtection(
    testbeds,
    () => current,
    () => ({ disk: 4096 * MIB, memory: 4096 * MIB }),
  );
  expect(offer.offer('amd64')).not.toHaveProperty('problem');
  current.freeDiskBytesMin = 8192 * MIB;
  expect(offer.offer('amd64').problem).toContain('freeDiskBytesMin (8192 MiB)');
});

it('leaves another problem as it is', () => {
  const { offer, left } = makeOffer('no usable backend');
  left.disk = 0;
  expect(offer.offer('amd64').problem).toBe('no usable backend');
});

it('reads what this machine has left', () => {
  const { disk, memory } = reservesOf(tmpdir());
  expect(disk).toBeGreaterThan(0);
  expect(memory).toBeGreaterThan(MIB);
});
