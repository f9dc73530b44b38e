import { excusedByShortage, type Shortage } from './shortage';
import { judge } from './verdict';

const GIB = 1024 ** 3;
const SPACE = { runTmpfsBytes: 2 * GIB, runMemoryBytesMax: GIB };
const NOTHING: Shortage = { machine: null, isFileSpaceFull: false, isMemoryUsedUp: false };
const FULL: Shortage = { ...NOTHING, isFileSpaceFull: true };
const MEMORY: Shortage = { ...NOTHING, isMemoryUsedUp: true };
const DISK: Shortage = { ...NOTHING, machine: "the worker's disk was full" };
const BOTH: Shortage = { ...DISK, isFileSpaceFull: true };

const OF_MACHINE =
  "the machine was short while it was tested: the worker's disk was full (at least one test failed)";
const OF_TEST = "it used up its 2048 MiB of file space, the worker's limit (at least one test failed)";
const OF_MEMORY = "it used up its 1024 MiB of memory, the worker's limit (at least one test failed)";

it.each<[string, Shortage, string, string | undefined]>([
  ['the disk was full', DISK, OF_MACHINE, 'machine'],
  ['disk and file space were full', BOTH, OF_MACHINE, 'machine'],
  ['its own file space was full', FULL, OF_TEST, 'limit'],
  ['its own memory was used up', MEMORY, OF_MEMORY, 'limit'],
])('a fail while %s is a tmpfail, with both reasons', (_what, shortage, message, trouble) => {
  expect(excusedByShortage(judge({ exitCode: 4 }), shortage, '1.0-1', SPACE)).toEqual({
    verdict: 'tmpfail',
    message,
    trouble,
    exitCode: 4,
  });
});

it.each([0, 2, 8, 16, 20, null])(
  'a machine that was short changes nothing about exit code %s',
  (exitCode) => {
    expect(excusedByShortage(judge({ exitCode }), BOTH, '1.0-1', SPACE)).toEqual(judge({ exitCode }));
  },
);

it('a testbed that broke once it was there ran into the limit too', () => {
  const end = { exitCode: 16, detail: 'cannot create /tmp/x: No space left on device' };
  expect(excusedByShortage(judge(end), FULL, '1.0-1', SPACE)).toMatchObject({
    verdict: 'tmpfail',
    trouble: 'limit',
  });
  expect(excusedByShortage(judge(end), FULL, null, SPACE)).toEqual(judge(end));
});

it.each([{ exitCode: 0 }, { exitCode: 8 }, { exitCode: null, limitMs: 1000 }])(
  'full file space changes nothing about %j',
  (end) => {
    expect(excusedByShortage(judge(end), FULL, '1.0-1', SPACE)).toEqual(judge(end));
  },
);

it('a judgement does not change where nothing was short', () => {
  expect(excusedByShortage(judge({ exitCode: 4 }), NOTHING, '1.0-1', SPACE)).toEqual(judge({ exitCode: 4 }));
});
