import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { WorkerFile } from './worker-file';

/** The keys of a file that are refused, each with why. */
function refusals(content: object): [string, string][] {
  return validateSync(plainToInstance(WorkerFile, content)).map(({ property, constraints }) => [
    property,
    Object.values(constraints ?? {})[0] ?? '',
  ]);
}

it('worker.yaml takes limits of packages and an environment', () => {
  const timeouts = { hello: 1000, 'linux-*': 86_400_000, '*': 3_600_000, constructor: 5000 };
  const environment = { http_proxy: 'http://proxy.example:3128', EMPTY: '', _X1: 'two "words" $HOME' };
  const file = plainToInstance(WorkerFile, { timeouts, environment, runMemoryBytesMax: 1 });
  expect(validateSync(file)).toEqual([]);
  expect(file.timeouts).toEqual(timeouts);
  expect(file.environment).toEqual(environment);
});

it.each(['backendCommands', 'variants', 'suiteSources'] as const)(
  'worker.yaml takes any name in %s',
  (key) => {
    const lists = { constructor: ['a'], toString: ['b', 'c'], 'x+1.0_2-y': ['d'] };
    const file = plainToInstance(WorkerFile, { [key]: lists });
    expect(validateSync(file)).toEqual([]);
    expect(Object.entries(file[key])).toEqual(Object.entries(lists));
  },
);

it('worker.yaml has no limit of memory but the one that is set', () => {
  expect(plainToInstance(WorkerFile, {}).runMemoryBytesMax).toBeUndefined();
});

it.each<[string, unknown]>([
  ['a list', []],
  ['no package', { '': 5000 }],
  ['an option', { '--help': 5000 }],
  ['a star within', { 'a*b': 5000 }],
  ['a text', { hello: '5000' }],
  ['less than a second', { hello: 999 }],
  ['more than 30 days', { hello: 30 * 86_400_000 + 1 }],
  ['a fraction', { hello: 1000.5 }],
])('timeouts with %s are refused', (_what, timeouts) => {
  expect(refusals({ timeouts })).toEqual([['timeouts', expect.any(String)]]);
});

it.each<[string, unknown]>([
  ['a list', ['A=b']],
  ['a name with a blank', { 'A B': 'x' }],
  ['a name with =', { 'A=B': 'x' }],
  ['a name that begins with a digit', { '1A': 'x' }],
  ['the triggers', { ADT_TEST_TRIGGERS: 'x' }],
  ['a number', { A: 1 }],
  ['a single quote', { A: "it's" }],
  ['a second line', { A: 'x\ny' }],
  ['a NUL', { A: 'x\0y' }],
])('an environment with %s is refused', (_what, environment) => {
  expect(refusals({ environment })).toEqual([
    ['environment', expect.stringContaining('without a single quote')],
  ]);
});

it.each([
  'runMemoryBytesMax',
  'runProcessesMax',
  'freeDiskBytesMin',
  'freeInodesMin',
  'resultsWaitingMax',
  'answerWaitMs',
  'lowerEpochWaitMs',
  'freeMemoryBytesMin',
  'logHeadBytesMax',
])('0 is refused as %s', (key) => {
  expect(refusals({ [key]: 0 })).toEqual([[key, expect.any(String)]]);
});

it.each([
  ['no list', '169.254.0.0/16'],
  ['a name', ['metadata.google.internal']],
  ['too long a prefix', ['169.254.0.0/33']],
  ['an address that is none', ['169.254.169.256']],
  ['loopback', ['loopback']],
])('unreachableNetworks with %s are refused', (_what, unreachableNetworks) => {
  expect(refusals({ unreachableNetworks })).toEqual([['unreachableNetworks', expect.any(String)]]);
});
