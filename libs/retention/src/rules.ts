import { removedBy, type Verdict } from '@proctor/contracts';

const DAY_MS = 86_400_000;

/** What is kept for how long. */
export interface RetentionRules {
  /** Of runs that ended as pass or neutral. */
  artifactsDays: number;
  /** Of runs that ended as fail or tmpfail. */
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

/** What the rules go by. */
export interface AgedRun {
  verdict: Verdict;
  finishedAt: Date;
  logSize: number | null;
  artifactsSize: number | null;
  /** The newest of its place that finished, passed or failed, or one with a note: it keeps all that it has. */
  isKept: boolean;
}

/** The rules by which a run loses files, as `removedBy` writes them; null for what stays. */
export interface Loss {
  logRule: string | null;
  artifactsRule: string | null;
}

const NOTHING: Loss = { logRule: null, artifactsRule: null };

/** What a run loses for its age. */
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

/** What some run may lose artifacts, or its log, for its age alone: those that finished before. */
export function dueBefore(content: 'artifacts' | 'logs', rules: RetentionRules, now: Date): Date {
  const { artifactsDays, failedArtifactsDays, logsDays } = rules;
  return daysBefore(now, content === 'logs' ? logsDays : Math.min(artifactsDays, failedArtifactsDays));
}

export function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}

/** What the files of a package may have together. */
export function bytesMaxOf(name: string, { packages, packageBytesMax }: RetentionRules): number {
  for (const [pattern, bytes] of Object.entries(packages))
    if (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern) return bytes;
  return packageBytesMax;
}

/**
 * Which of the runs of a package that has too much lose content of one kind.
 * @param runs the oldest first
 * @param excess bytes above what the package may have
 */
export function lossBySize<Run extends AgedRun>(
  runs: Run[],
  content: 'artifacts' | 'logs',
  excess: number,
): { runs: Run[]; bytes: number } {
  const lost: Run[] = [];
  let bytes = 0;
  for (const run of runs) {
    if (bytes >= excess) break;
    const size = content === 'logs' ? run.logSize : run.artifactsSize;
    if (run.isKept || size === null) continue;
    lost.push(run);
    bytes += size;
  }
  return { runs: lost, bytes };
}

/** How long to rest after work of so long, that no more than so much percent of the time is spent on it: long when the database is busy. */
export function restMs(workedMs: number, timePercentMax: number): number {
  return workedMs * (100 / timePercentMax - 1);
}
