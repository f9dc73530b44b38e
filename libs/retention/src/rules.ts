import { removedBy, type Verdict } from '@proctor/contracts';

const DAY_MS = 86_400_000;

/** Limits of files and rows. Days, bytes. */
export interface RetentionRules {
  /** Days for which the artifacts of runs stay that ended as pass, neutral or absent. */
  artifactsDays: number;
  /** Days for which the artifacts of runs stay that ended as fail or tmpfail. */
  failedArtifactsDays: number;
  logsDays: number;
  /** All files of a package together. */
  packageBytesMax: number;
  /** Package name, `*` at the end stands for anything → its own `packageBytesMax`; the first that fits counts. */
  packages: Record<string, number>;
  /** Facts and attempts. */
  storyDays: number;
  /** Runs themselves; absent: for ever. */
  runDays?: number;
}

/** The fields of a run that the rules need. */
export interface AgedRun {
  verdict: Verdict;
  finishedAt: Date;
  logSize: number | null;
  artifactsSize: number | null;
  /** A run that keeps everything: the newest of its place that finished, passed or failed, or one with a note. */
  isKept: boolean;
}

/** The rules by which a run loses files, from `removedBy`; null for what stays. */
interface Loss {
  logRule: string | null;
  artifactsRule: string | null;
}

const NOTHING: Loss = { logRule: null, artifactsRule: null };

/** The content that a run loses because of its age. */
export function lossByAge(run: AgedRun, rules: RetentionRules, now: Date): Loss {
  if (run.isKept) return NOTHING;
  const hasFailed = run.verdict === 'fail' || run.verdict === 'tmpfail';
  const artifactsDays = hasFailed ? rules.failedArtifactsDays : rules.artifactsDays;
  const isOlder = (days: number): boolean => run.finishedAt < daysBefore(now, days);
  const isArtifactsDue = run.artifactsSize !== null && isOlder(artifactsDays);
  const isLogDue = run.logSize !== null && isOlder(rules.logsDays);
  const kind = hasFailed ? 'artifacts of failed runs' : 'artifacts of passed runs';
  return {
    logRule: isLogDue ? removedBy('logs', rules.logsDays) : null,
    artifactsRule: isArtifactsDue ? removedBy(kind, artifactsDays) : null,
  };
}

/** Runs that finished before these times may lose artifacts or their log because of their age. */
export function dueBefore(content: 'artifacts' | 'logs', rules: RetentionRules, now: Date): Date {
  const { artifactsDays, failedArtifactsDays, logsDays } = rules;
  return daysBefore(now, content === 'logs' ? logsDays : Math.min(artifactsDays, failedArtifactsDays));
}

export function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}

/** The most bytes that the files of a package may have together. */
export function bytesMaxOf(name: string, { packages, packageBytesMax }: RetentionRules): number {
  for (const [pattern, bytes] of Object.entries(packages))
    if (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern) return bytes;
  return packageBytesMax;
}

/**
 * The runs of a package that lose content of one kind, because the package has too much.
 * @param runs the oldest first
 * @param excess bytes above the limit of the package
 */
export function lossBySize<Run extends AgedRun>(
  runs: Run[],
  content: 'artifacts' | 'logs',
  excess: number,
): { runs: Run[]; bytes: number } {
  const losers: Run[] = [];
  let bytes = 0;
  for (const run of runs) {
    if (bytes >= excess) break;
    const size = content === 'logs' ? run.logSize : run.artifactsSize;
    if (run.isKept || size === null) continue;
    losers.push(run);
    bytes += size;
  }
  return { runs: losers, bytes };
}

/** How long to rest after work of a duration, so that the work needs at most this percentage of the time. */
export function restMs(workedMs: number, timePercentMax: number): number {
  return workedMs * (100 / timePercentMax - 1);
}
