import { REFERENCE_TRIGGER, type RunRecord } from '@proctor/database';
import { bugReportUrl } from '../../runs/bug-report';
import type { Triage } from '../../runs/triage';
import { shortRunPath } from '../../runs/page-paths';

/** Where pages are, and how bugs are reported. */
export interface TriagePlace {
  /** What comes before a path. */
  base: string;
  bugReportUrl: string;
  /** The line of the run's log that tells of its first error. */
  errorLine: string | null;
}

/** The section of a run's page that says why it has not passed. */
export function triageView(run: RunRecord, found: Triage, userName: string | null, place: TriagePlace) {
  const { conclusion, evidence } = found;
  return { heading: headingOf(run), conclusion, evidence, button: buttonOf(run, found, userName, place) };
}

function headingOf({ verdict }: RunRecord): string {
  if (verdict === 'absent') return 'Why was nothing tested?';
  return verdict === 'tmpfail' ? 'Why could it not be tested?' : 'Why did it fail?';
}

/** The one thing to do; null when there is nothing. */
function buttonOf(
  run: RunRecord,
  found: Triage,
  userName: string | null,
  { base, bugReportUrl: template, errorLine }: TriagePlace,
): { label: string; url: string } | null {
  const { step } = found;
  if (step.kind === 'retry') return { label: 'Retry', url: `/api/v1/retry/${run.runId}` };
  if (step.kind === 'refresh') {
    const { package: name, suite, arch } = run;
    const fields = new URLSearchParams({ package: name, suite, arch, trigger: REFERENCE_TRIGGER });
    const form = userName === null ? '/-/request' : `/user/${userName}/test`;
    return { label: 'Ask for a new reference', url: `${form}?${fields.toString()}` };
  }
  // What is private is told nobody by a message.
  if (step.kind === 'nothing' || run.isPrivate) return null;
  const runUrl = `${base}${shortRunPath(run.runId)}`;
  const url = bugReportUrl(template, step.package, run, found, runUrl, errorLine);
  return { label: `Report a bug in ${step.package}`, url };
}
