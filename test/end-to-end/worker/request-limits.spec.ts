import type { Lease } from '@proctor/contracts';
import type { Pin } from '@proctor/request-fields';
import { ServerFile } from '@libs/config/src/server-file';
import { UnsafeRequest } from '@apps/worker/src/autopkgtest/unsafe-request';
import { prepareImage } from '@test/support/worker-images';
import { lease, leaseOfTree, openMachine, sourceTree, storedLog, type TestMachine } from './test-machine';

/** What the api accepts, unless a deployment sets something else. */
const { triggerBytesMax, pinPackagesBytesMax, extraAptSourcesMax } = new ServerFile().api;
const STUB = { package: 'stub', backend: 'null', variant: 'stub' };
const never = new AbortController().signal;
const nothing = () => undefined;

let machine: TestMachine;
prepareImage();
afterEach(async () => machine?.close());

/** Pins of as many bytes as a request may have. */
function longestPins(suite: string): Pin[] {
  const count = Math.floor((pinPackagesBytesMax - suite.length) / 200);
  const names = Array.from({ length: count }, (_, index) => `proctor${index}-`.padEnd(199, 'x'));
  return [[names.join(','), suite]];
}

const LONGEST: [field: string, changes: () => Partial<Lease>][] = [
  ['trigger', () => ({ trigger: 'x'.repeat(triggerBytesMax) })],
  ['trigger of several bytes a character', () => ({ trigger: '\u{1f600}'.repeat(triggerBytesMax / 4) })],
  ['list of pins', () => ({ pinPackages: longestPins(lease().suite) })],
  ['package name', () => ({ package: 'x'.repeat(200) })],
  [
    'list of sources',
    () => ({
      extraAptSources: Array.from({ length: extraAptSourcesMax }, (_, index) => ({
        name: `s${index}`,
        lines: [`deb http://mirror.example/${'x'.repeat(1_000)} ./`],
        signingKey: 'no key',
      })),
    }),
  ],
];

it.each(LONGEST)('a worker executes a run with the longest %s that is accepted', async (_field, changes) => {
  machine = await openMachine({ backends: ['null'] });
  const result = await machine.runner.run(lease({ ...STUB, ...changes() }), nothing, never);
  expect(result).toMatchObject({ verdict: 'pass' });
});

it('a worker executes a run with the longest of all fields together', async () => {
  machine = await openMachine({ backends: ['null'] });
  const all = Object.assign({}, ...LONGEST.map(([, changes]) => changes())) as Partial<Lease>;
  expect(await machine.runner.run(lease({ ...STUB, ...all }), nothing, never)).toMatchObject({
    verdict: 'pass',
  });
});

it('a worker refuses what no program takes as an argument, before anything is started, as the fault of the request', async () => {
  machine = await openMachine({ backends: ['null'] });
  const started = jest.fn();
  const run = machine.runner.run(lease({ ...STUB, trigger: 'x'.repeat(200_000) }), started, never);
  await expect(run).rejects.toThrow(UnsafeRequest);
  expect(started).not.toHaveBeenCalled();
});

it.each([
  ['of plain letters', 'x'],
  ['that a shell has to quote', '"'],
  ['that takes four bytes a character', '\u{1f600}'],
])('a worker hands the longest trigger through to a test in a real testbed: %s', async (_what, character) => {
  machine = await openMachine({ runTmpfsBytes: 2 * 1024 ** 3 });
  const script = '#!/bin/sh\nprintf %s "$ADT_TEST_TRIGGERS" | wc -c | sed "s/^/bytes: /"\n';
  const tree = await sourceTree(machine.workPath, script);
  const trigger = character.repeat(triggerBytesMax / Buffer.byteLength(character));
  const result = await machine.runner.run(leaseOfTree(tree, { trigger }), nothing, never);
  expect(result).toMatchObject({ verdict: 'pass' });
  expect(await storedLog(result)).toContain(`bytes: ${triggerBytesMax}\n`);
});

it('a worker has a run with the longest pins tested in a real testbed, or fail for its pins', async () => {
  machine = await openMachine({ runTmpfsBytes: 2 * 1024 ** 3 });
  const tree = await sourceTree(machine.workPath, '#!/bin/sh\ntrue\n');
  const changes = { pinPackages: longestPins(lease().suite) };
  const result = await machine.runner.run(leaseOfTree(tree, changes), nothing, never);
  expect(result.message).not.toMatch(/too long/i);
  expect(result.trouble).not.toBe('machine');
  expect(await storedLog(result)).not.toMatch(/argument list too long/i);
});
