import {
  FinishedReport,
  grantOf,
  MalformedMessage,
  MESSAGE_LENGTH_MAX,
  oneLine,
  parseMessage,
} from '@proctor/contracts';

/** A report that every reader accepts, and what had to be changed for that. */
export interface CheckedReport {
  report: FinishedReport;
  /** What the report could not have, for the log; null: it is as it was. */
  dropped: string | null;
}

/**
 * Checks a report as its receiver will. What cannot be told of single tests is dropped and said in the message; any other
 * fault makes the attempt a tmpfail that names it. A report that its receiver refused would never be answered.
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
  const failed: FinishedReport = {
    ...identityOf(report),
    verdict: 'tmpfail',
    message: oneLine(`the worker made a result that cannot be reported: ${fault}`, MESSAGE_LENGTH_MAX),
    exitCode: null,
    version: null,
    durationSeconds: 0,
    files: report.files,
  };
  return { report: findFault(failed) === null ? failed : { ...failed, files: [] }, dropped: fault };
}

/** Why a receiver would refuse it; null: it would not. */
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
  const note = ' (its single tests cannot be told)';
  return `${oneLine(message, MESSAGE_LENGTH_MAX - note.length)}${note}`;
}
