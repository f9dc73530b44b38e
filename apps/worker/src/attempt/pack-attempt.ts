import { waitAtMost } from '@proctor/clock';
import { MESSAGE_LENGTH_MAX, oneLine, type Lease } from '@proctor/contracts';
import { excusedByShortage, type Shortage } from '../autopkgtest/shortage';
import { judgeRejectedVersion } from '../autopkgtest/verdict';
import { freshResultFolder } from '../reports/result-folder';
import type { AttemptResult, AttemptVerdict } from '../slot/ports';
import type { PreparedAttempt } from './prepared-attempt';
import { packResult } from './result-files';
import { judgeEnd, type EndParts, type SandboxEnding } from './sandbox-end';

/** Packing takes minutes at most, unless a disk hangs. */
const PACK_TIMEOUT_MS = 900_000;

/** The verdict on what the runner left. */
export async function findVerdict(
  { lease, folder, settings }: PreparedAttempt,
  ending: SandboxEnding,
  short: Shortage,
): Promise<Omit<AttemptVerdict, 'durationSeconds'>> {
  const { judgement: judgementAtEnd, version, tests } = await judgeEnd(folder, ending, lease);
  const judgement = excusedByShortage(judgementAtEnd, short, version, settings);
  if (!isRejected(lease, version)) return { ...judgement, version, tests };
  return { ...judgeRejectedVersion(lease, version), exitCode: judgement.exitCode, version, tests: [] };
}

function isRejected({ rejectedVersions }: Lease, version: string | null): version is string {
  return version !== null && rejectedVersions.includes(version);
}

function hasFailed({ verdict }: Pick<AttemptVerdict, 'verdict'>): boolean {
  return verdict === 'fail' || verdict === 'tmpfail';
}

/**
 * The verdict with the log and artifacts that could be packed in time; its message names what could not. Never rejects.
 */
export async function packAttempt(
  { lease, folder, settings }: PreparedAttempt,
  verdict: AttemptVerdict,
  { clock, log }: EndParts,
): Promise<AttemptResult> {
  const overdue = new AbortController();
  const target = freshResultFolder(settings.resultsPath, lease);
  const limits = { ...settings, ranSeconds: verdict.durationSeconds };
  const packing = packResult(folder, target, limits, overdue.signal).catch((error: unknown) => String(error));
  const packed = (await waitAtMost(packing, PACK_TIMEOUT_MS, clock)) ?? 'packing takes too long';
  overdue.abort(new Error('packing took too long'));
  const lacking = (what: string, why: string): string => {
    const notice = `its ${what} could not be kept: ${why}`;
    log.warn(`run ${lease.runId} attempt ${lease.attempt}: ${notice}`);
    return oneLine(`${verdict.message}; ${notice}`, MESSAGE_LENGTH_MAX);
  };
  if (typeof packed === 'string')
    return { ...verdict, message: lacking('log and artifacts', packed), files: [] };
  const { files, excerpt, lossReason } = packed;
  const message = lossReason === null ? verdict.message : lacking('artifacts', lossReason);
  const isExplained = excerpt !== null && hasFailed(verdict) && !isRejected(lease, verdict.version);
  return { ...verdict, message, files, ...(isExplained && { excerpt }) };
}
