import type { TestResult, TestStatus } from '@proctor/contracts';
import { runRecord } from '@test/support/run-record';
import { logPath } from '../../runs/page-paths';
import { testsView } from './tests-view';

const run = runRecord();

const test = (name: string, status: TestStatus): TestResult => ({ name, status, detail: null });

it('each test has its own last runs, its duration, and the place in the log where it begins', () => {
  const before = [[test('unit', 'PASS')], [], [test('unit', 'PASS'), test('new', 'SKIP')]];
  const inLog = [{ name: 'unit', line: 40, seconds: 65 }];
  const [unit, other] = testsView([test('unit', 'FAIL'), test('new', 'FLAKY')], before, inLog, run);
  expect(unit).toMatchObject({ duration: '1 min 5 s', logUrl: `${logPath(run)}?from=40#L40` });
  expect(unit!.cells.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'fail']);
  expect(other).toMatchObject({ duration: '', logUrl: logPath(run) });
  expect(other!.cells.map(({ verdict }) => verdict)).toEqual(['neutral', 'tmpfail']);
});
