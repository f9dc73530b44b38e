import {
  FinishedReport,
  grantOf,
  MalformedMessage,
  MESSAGE_LENGTH_MAX,
  oneLine,
  parseMessage,
} from '@proctor/contracts';

/** A report that every reader accepts, and the change that was necessary. */
interface CheckedReport {
  report: FinishedReport;
  /** The part that was dropped, for the log; null if nothing was. */
  dropped: string | null;
}

/**
 * Checks a report as its receiver will. Invalid results of single tests are dropped, and the message says so; any other
 * fault makes the attempt a tmpfail that names it. A report that its receiver refuses would never be answered.
 */
export function checkReport(report: FinishedReport): CheckedReport {
  const fault = findFault(report);
  if (fault === null) return { report, dropped: null };
  const { excerpt: _excerpt, ...withoutExcerpt } = report;
  if (report.excerpt && findFault(withoutExcerpt) === null) return { report: withoutExcerpt, dropped: fault };
  const { tests: _, ...withoutTests } = withoutExcerpt;
  if (findFault(withoutTests) === null) {
    return { report: { ...withoutTests, message: withNote(report.message) }, dropped: fault };
  }
  const failure: FinishedReport = {
    ...identityOf(report),
    verdict: 'tmpfail',
    message: oneLine(`the worker made a result that cannot be reported: ${fault}`, MESSAGE_LENGTH_MAX),
    exitCode: null,
    version: null,
    durationSeconds: 0,
    files: report.files,
  };
  return { report: findFault(failure) === null ? failure : { ...failure, files: [] }, dropped: fault };
}

/** Why a receiver would refuse it; null: it accepts it. */
function findFault(report: FinishedReport): string | null {
  try {
    parseMessage(FinishedReport, report);
    return null;
  } catch (error) {
    if (error instanceof MalformedMessage) return error.message;
    throw error;
  }
}

function identityOf({ worker, incarnation, slot, ...report }: FinishedReport) {
  return { worker, incarnation, slot, ...grantOf(report) };
}

function withNote(message: string): string {
  const note = ' (the results of its single tests are invalid)';
  return `${oneLine(message, MESSAGE_LENGTH_MAX - note.length)}${note}`;
}
