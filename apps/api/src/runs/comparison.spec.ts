import type { StoredTestbed } from '@proctor/database';
import { runRecord } from '@test/support/run-record';
import { type ComparedRun, comparedPackages, differentSettings, settingsOf } from './comparison';

const compared = (
  run: Parameters<typeof runRecord>[0],
  testbed: Record<string, string> = {},
  added: Record<string, string> = {},
  rest: Partial<StoredTestbed> = {},
): ComparedRun => {
  const packages = {
    testbed: new Map(Object.entries(testbed)),
    added: new Map(Object.entries(added)),
    suites: new Map(Object.keys(added).map((name) => [name, `suite-of-${name}`])),
  };
  return {
    run: runRecord(run),
    testbed: { packages, kernel: null, withoutInitLine: null, fallback: null, tests: [], ...rest },
  };
};

it('packages that changed are sorted by their nearness to what is tested, those that changed together as one', () => {
  const a = compared(
    { trigger: 'zlib/0.9 migration-reference/0' },
    { bash: '1', awk: '1', zlib: '1', libc6: '2.1', 'libc-bin': '2.1' },
    { gone: '1' },
  );
  const b = compared(
    { trigger: 'glibc/2.2', pinPackages: [['src:ssl, perl', 'sid']] },
    { bash: '1', awk: '1', zlib: '2', libc6: '2.1', 'libc-bin': '2.1' },
    { perl: '5', awk: '2', libc6: '2.2', 'libc-bin': '2.2' },
  );
  expect(comparedPackages(a, b)).toEqual({
    changed: [
      { names: ['awk', 'zlib'], source: null, a: '1', b: '2', nearness: 'named' },
      { names: ['libc-bin', 'libc6'], source: 'glibc', a: '2.1', b: '2.2', nearness: 'named' },
      { names: ['perl'], source: null, a: null, b: '5', nearness: 'named' },
      { names: ['gone'], source: null, a: '1', b: null, nearness: 'tests' },
    ],
    same: [['bash', '1']],
    suites: {
      a: new Map([['gone', 'suite-of-gone']]),
      b: new Map(['perl', 'awk', 'libc6', 'libc-bin'].map((name) => [name, `suite-of-${name}`])),
    },
  });
});

it('what changed of the tested package goes first, and of each part changed versions before what came and what went', () => {
  const a = compared(
    { package: 'tool', version: '1.0-1', trigger: 'gcc/13' },
    { base: '1' },
    { 'tool-data': '1.0-1', zz: '1', left: '4' },
  );
  const b = compared(
    { package: 'tool', version: '1.0-2', trigger: 'gcc/14 llvm/14' },
    { base: '2' },
    { 'tool-data': '1.0-2+b1', zz: '3', arrived: '6', cc: '14' },
  );
  const changes = comparedPackages(a, b)!.changed.map(({ names, source, nearness }) => [
    names[0],
    source,
    nearness,
  ]);
  expect(changes).toEqual([
    ['tool-data', 'tool', 'tested'],
    // Two words of the trigger have this version.
    ['cc', null, 'named'],
    ['zz', null, 'tests'],
    ['arrived', null, 'tests'],
    ['left', null, 'tests'],
    ['base', null, 'testbed'],
  ]);
});

it('packages are left out when one of the runs has no list of them', () => {
  expect(comparedPackages(compared({}), compared({}, {}, {}, { packages: null }))).toBeNull();
});

it('settings are listed side by side, and what is not known of one run is no difference', () => {
  const image = { name: 'unshare/sid/amd64', builtAtMs: Date.UTC(2026, 10, 20, 10) };
  const settings = settingsOf(
    compared({ trigger: 'a/1', worker: null, image }, {}, {}, { kernel: 'Linux 6.1' }),
    compared({ worker: 'w1' }),
  );
  expect(settings).toContainEqual({ name: 'Worker', a: '', b: 'w1' });
  expect(settings).toContainEqual({
    name: 'Image',
    a: 'unshare/sid/amd64, built 2026-11-20 10:00:00 UTC',
    b: null,
  });
  expect(settings).toContainEqual({ name: 'Kernel', a: 'Linux 6.1', b: null });
  expect(differentSettings(settings).map(({ name }) => name)).toEqual(['Trigger', 'Worker']);
});
