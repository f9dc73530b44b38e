import { isUntested } from '@proctor/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { type RunRecord, TriggerRuns, REFERENCE_TRIGGER } from '@proctor/database';
import { CONFIGURATION, type ApiConfiguration } from '../../configuration.token';
import { inSlices } from '../../http/slices';
import { type KnownOfRun, TriageService } from '../../runs/triage.service';
import type { Viewer } from '../../sessions/viewer';
import { KnownSources } from '../../sources/known-sources';
import { sourceWarnings } from '../../sources/source-warnings';
import { NoteLists } from '../notes/note-lists.service';
import type { Triage } from '../../runs/triage';
import { shortRunPath } from '../../runs/page-paths';

/** Characters in the body of a bug report. Mail programs cut longer addresses. */
const BODY_LENGTH_MAX = 1_500;

/**
 * The address to report a bug, with a first draft of the message.
 * @param template `api.bugReportUrl`
 * @param runUrl address of the run's page
 * @param errorLine the first error in the log; null when there is none
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

/** What the links of the section need. */
interface TriagePlace {
  /** The address of this server, without a slash at the end. */
  base: string;
  bugReportUrl: string;
  /** The first error in the log; null when there is none. */
  errorLine: string | null;
}

/** The section of a run's page that explains why the run did not pass. */
export function triageView(run: RunRecord, triage: Triage, userName: string | null, place: TriagePlace) {
  const { conclusion, evidence, step } = triage;
  const button = buttonOf(run, triage, userName, place);
  // Each finished run has a button to retry it; here it is the one to press.
  return { heading: headingOf(run), conclusion, evidence, isRetryNext: step.kind === 'retry', button };
}

function headingOf({ verdict }: RunRecord): string {
  if (isUntested(verdict)) return 'Why was nothing tested?';
  return verdict === 'tmpfail' ? 'Why could it not be tested?' : 'Why did it fail?';
}

/** The button for the next step; null when there is none, or when it is a retry. */
function buttonOf(
  run: RunRecord,
  triage: Triage,
  userName: string | null,
  { base, bugReportUrl: template, errorLine }: TriagePlace,
): { label: string; url: string; isMail: boolean } | null {
  const { step } = triage;
  if (step.kind === 'refresh') {
    const { package: name, suite, arch } = run;
    const fields = new URLSearchParams({ package: name, suite, arch, trigger: REFERENCE_TRIGGER });
    const form = userName === null ? '/-/request' : `/user/${userName}/test`;
    return { label: 'Request a new reference', url: `${form}?${fields.toString()}`, isMail: false };
  }
  // A bug report is public, so private runs have no button for it.
  if (step.kind !== 'report' || run.isPrivate) return null;
  const runUrl = `${base}${shortRunPath(run.runId)}`;
  const url = bugReportUrl(template, step.package, run, triage, runUrl, errorLine);
  return { label: `Report a bug in ${step.package}`, url, isMail: url.startsWith('mailto:') };
}

/** Loads the sections on the failure of a run: the reason, the notes of users, and a warning when the suite does not have the package. */
@Injectable()
export class RunTriage {
  constructor(
    private readonly triages: TriageService,
    private readonly triggerRuns: TriggerRuns,
    private readonly notes: NoteLists,
    private readonly sources: KnownSources,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * @param knownOfRun see TriageService
   * @param base the address of this server, without a slash at the end
   */
  async sections(run: RunRecord, viewer: Viewer, knownOfRun: KnownOfRun, base: string) {
    const mayBeMissing = run.state === 'queued' || run.verdict === 'absent';
    const [triage, notes, missing] = await Promise.all([
      this.triage(run, viewer, knownOfRun, base),
      this.notes.ofRun(run, viewer),
      mayBeMissing ? inSlices(sourceWarnings([run], this.sources)) : [],
    ]);
    return { triage, notes, missing };
  }

  /** Returns null when the run did not fail. */
  private async triage(
    run: RunRecord,
    { user }: Viewer,
    knownOfRun: KnownOfRun,
    base: string,
  ): Promise<ReturnType<typeof triageView> | null> {
    const [triage, errorLines] = await Promise.all([
      this.triages.of(run, knownOfRun),
      this.triggerRuns.errorLines([run.runId]),
    ]);
    const { bugReportUrl } = this.configuration.server;
    const place = { base, bugReportUrl, errorLine: errorLines.get(run.runId) ?? null };
    return triage && triageView(run, triage, user?.name ?? null, place);
  }
}
