import { type LogSection, withPlausibleTimes } from '@proctor/result-files';

/** What the seconds of a run were spent on, in the order of a run's life. */
const TIME_KINDS = ['waiting', 'start', 'testbed', 'dependencies', 'tests', 'clean-up', 'upload'] as const;
export type TimeKind = (typeof TIME_KINDS)[number];

/** One step of a run. */
export interface TimeStep {
  kind: TimeKind;
  /** The test, or what was set up; empty for a step without a part of the log. */
  name: string;
  seconds: number;
  /** Its first line in the log; null for a step without a part of the log. */
  line: number | null;
}

/** The records of a finished run. */
export interface RunTimes {
  createdAt: Date;
  /** When the latest attempt was granted. */
  grantedAt: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** From the start of the runner to its end; null when it is not known. */
  durationSeconds: number | null;
}

const KINDS: Record<LogSection['kind'], TimeKind> = {
  start: 'testbed',
  setup: 'testbed',
  preparation: 'dependencies',
  test: 'tests',
  summary: 'clean-up',
};

/**
 * The steps of a run that took a second or longer, in order: from its records, and from the times that the runner wrote into its log. The
 * log is of the latest attempt; what comes before its grant is waiting. Clocks differ, and a log may say anything, so no step is negative,
 * and parts of the log that take longer than the runner did are left out.
 * @param sections the parts of the log; empty when they are not known
 */
export function runTime(times: RunTimes, sections: LogSection[]): TimeStep[] {
  const { createdAt, grantedAt, startedAt, finishedAt, durationSeconds } = times;
  const parts = withPlausibleTimes(sections, durationSeconds).flatMap(({ kind, name, seconds, line }) =>
    seconds === null ? [] : [{ kind: KINDS[kind], name, seconds, line }],
  );
  const inLog = secondsOf(parts);
  const ran = durationSeconds ?? inLog;
  return [
    step('waiting', between(createdAt, grantedAt ?? startedAt)),
    step('start', between(grantedAt, startedAt)),
    ...parts,
    // Earlier indexes have the times of tests alone: then the rest is not only the clean-up.
    step('clean-up', parts.some(({ kind }) => kind === 'testbed') ? ran - inLog : 0),
    step('upload', between(startedAt, finishedAt) - ran),
  ].filter(({ seconds }) => seconds >= 1);
}

/** The seconds of each kind that has any, in order. */
export function secondsByKind(steps: readonly TimeStep[]): { kind: TimeKind; seconds: number }[] {
  return TIME_KINDS.map((kind) => ({
    kind,
    seconds: secondsOf(steps.filter((each) => each.kind === kind)),
  })).filter(({ seconds }) => seconds > 0);
}

export function secondsOf(steps: readonly { seconds: number }[]): number {
  return steps.reduce((sum, { seconds }) => sum + seconds, 0);
}

function step(kind: TimeKind, seconds: number): TimeStep {
  return { kind, name: '', seconds: Math.round(seconds), line: null };
}

function between(from: Date | null, to: Date | null): number {
  return from && to ? (to.getTime() - from.getTime()) / 1_000 : 0;
}
