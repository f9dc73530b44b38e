import type { RunRecord } from '@proctor/database';
import type { Triage } from './triage';

/** Of a message; longer addresses are cut by programs that mail. */
const BODY_LENGTH_MAX = 1_500;

/**
 * Where a bug is reported, with the message begun.
 * @param template `api.bugReportUrl`
 * @param runUrl address of the run's page
 * @param errorLine of the run's log; null without one
 */
export function bugReportUrl(
  template: string,
  packageName: string,
  run: RunRecord,
  { conclusion }: Pick<Triage, 'conclusion'>,
  runUrl: string,
  errorLine: string | null,
): string {
  const place = `${run.suite}/${run.arch}`;
  const isOwn = packageName === run.package;
  const subject = isOwn
    ? `${run.package}: autopkgtest fails on ${place}`
    : `${packageName}: makes the autopkgtest of ${run.package} fail on ${place}`;
  const version = isOwn && run.version && run.version !== 'n/a' ? [`Version: ${run.version}`] : [];
  const lines = [
    `Source: ${packageName}`,
    ...version,
    '',
    `The autopkgtest of ${run.package} ${run.version ?? ''} fails on ${place}. ${conclusion}`,
    '',
    runUrl,
    ...(errorLine === null ? [] : ['', `  ${errorLine}`]),
  ];
  const values: Record<string, string> = {
    package: packageName,
    subject,
    body: lines.join('\n').slice(0, BODY_LENGTH_MAX),
  };
  return template.replace(/\{(package|subject|body)\}/g, (_, name: string) =>
    encodeURIComponent(values[name]!.toWellFormed()),
  );
}
