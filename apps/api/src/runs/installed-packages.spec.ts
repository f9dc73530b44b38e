import { runRecord } from '@test/support/run-record';
import { installedObject } from './installed-packages';

it('the packages that a run had installed are listed by name, with what the testbed had of those that were upgraded', () => {
  const packages = {
    testbed: new Map([
      ['libc6', '2.41-12'],
      ['bash', '5.2'],
    ]),
    added: new Map([
      ['libc6', '2.41-13'],
      ['curl', '8.16'],
    ]),
    suites: new Map([['libc6', 'trixie-security']]),
  };
  const testbed = {
    packages,
    kernel: 'Linux 6.12',
    withoutInitLine: null,
    fallback: { line: 4, release: 'sid' },
    tests: [],
  };
  expect(installedObject(runRecord({ runId: 12 }), testbed)).toEqual({
    run_id: 12,
    kernel: 'Linux 6.12',
    fallback_release: 'sid',
    packages: [
      { name: 'bash', version: '5.2', part: 'testbed', before: null, suite: null },
      { name: 'curl', version: '8.16', part: 'tests', before: null, suite: null },
      { name: 'libc6', version: '2.41-13', part: 'tests', before: '2.41-12', suite: 'trixie-security' },
    ],
  });
});

it('a run without a list of its packages has none, which is not an empty one', () => {
  const testbed = { packages: null, kernel: null, withoutInitLine: null, fallback: null, tests: [] };
  expect(installedObject(runRecord(), testbed)).toMatchObject({ packages: null, fallback_release: null });
});
