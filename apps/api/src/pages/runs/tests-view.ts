import type { TestResult, TestStatus, PackageVerdict } from '@proctor/contracts';
import type { RunRecord, StripEntry, TestInLog } from '@proctor/database';
import { secondsInWords } from '../layout/times';
import { testView } from './story-view';
import { logLinePath, logPath } from '../../runs/page-paths';

/** The colour of a test in its strip, as the verdict with the same colour. */
const CELLS: Record<TestStatus, PackageVerdict> = {
  PASS: 'pass',
  FAIL: 'fail',
  SKIP: 'neutral',
  FLAKY: 'tmpfail',
};

/**
 * The tests of a run, each with its results in earlier runs.
 * @param before the tests of earlier runs, oldest first
 * @param inLog the line of the log at which each test begins
 */
export function testsView(tests: TestResult[], before: TestResult[][], inLog: TestInLog[], run: RunRecord) {
  const places = new Map(inLog.map((test) => [test.name, test]));
  const past = new Map<string, StripEntry[]>();
  for (const each of [...before, tests]) {
    for (const { name, status } of each) {
      const cell = { verdict: CELLS[status], isNewVersion: false, isPinned: false };
      const cells = past.get(name);
      if (cells) cells.push(cell);
      else past.set(name, [cell]);
    }
  }
  return tests.map((test) => {
    const place = places.get(test.name);
    return {
      ...testView(test),
      duration: place && place.seconds !== null ? secondsInWords(place.seconds) : '',
      logUrl: place ? logLinePath(run, place.line) : logPath(run),
      cells: past.get(test.name)!,
    };
  });
}
