import type { TestResult, TestStatus, PackageVerdict } from '@proctor/contracts';
import type { RunRecord, StripEntry, TestInLog } from '@proctor/database';
import { secondsInWords } from '../layout/times';
import { testView } from './story-view';
import { logLinePath, logPath } from '../../runs/page-paths';

/** A test as a cell of a strip: one that was skipped says nothing, and one that may fail is like what could not be tested. */
const CELLS: Record<TestStatus, PackageVerdict> = {
  PASS: 'pass',
  FAIL: 'fail',
  SKIP: 'neutral',
  FLAKY: 'tmpfail',
};

/**
 * The single tests of a run, each with its own last runs.
 * @param before the tests of the runs before, oldest first
 * @param inLog where each begins in the log
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
