import type { Requestor, RunOfTrigger, TestPlace } from '@proctor/database';
import type { TriggerGroup } from '@proctor/resources';
import { mayEnd, maySee, readerOf } from '../auth/run-reader';
import type { ApiConfiguration } from '../configuration.token';
import { obstacleTo } from './obstacle';
import type { TriggerTest } from './trigger-groups';

/** Selects tests of a trigger: those that match all given fields. */
export interface TriggerSelection {
  groups?: TriggerGroup[] | undefined;
  suite?: string | undefined;
  arch?: string | undefined;
  /** The signature of the first error. */
  signature?: string | undefined;
  runIds?: number[] | undefined;
}

/** Why an action cannot change a run, as a sentence. */
export interface RefusedRun {
  run: RunOfTrigger;
  reason: string;
}

export interface TriggerPlan {
  /** With new references, one run for each place. */
  runs: RunOfTrigger[];
  refused: RefusedRun[];
  /** The number of further tests that match, beyond the limit of a request. */
  leftOut: number;
}

export function selectedTests(tests: TriggerTest[], selection: TriggerSelection): TriggerTest[] {
  const { groups, suite, arch, signature } = selection;
  const runIds = selection.runIds && new Set(selection.runIds);
  return tests.filter(
    ({ group, run }) =>
      (!groups || groups.includes(group)) &&
      (suite === undefined || run.suite === suite) &&
      (arch === undefined || run.arch === arch) &&
      (signature === undefined || run.errorSignature === signature) &&
      (!runIds || runIds.has(run.runId)),
  );
}

/** The runs that can be retried, and why the others cannot. */
export function retryPlan(
  runs: RunOfTrigger[],
  requestor: Requestor,
  configuration: ApiConfiguration,
): Omit<TriggerPlan, 'leftOut'> {
  const reader = readerOf(requestor);
  return partition(runs, (run) => {
    if (!maySee(reader, run)) return 'Only its requestor and administrators may retry a private run.';
    return run.state === 'finished' ? obstacleTo(run, configuration) : 'It has not finished.';
  });
}

/** The runs that can be cancelled, and why the others cannot. */
export function cancelPlan(runs: RunOfTrigger[], requestor: Requestor): Omit<TriggerPlan, 'leftOut'> {
  const reader = readerOf(requestor);
  return partition(runs, (run) => {
    if (run.state === 'finished') return 'It has finished.';
    return mayEnd(reader, run) ? null : 'Only its requestor and administrators may cancel it.';
  });
}

/**
 * The plan for runs that need a new reference. A reference is public, without pins and sources.
 * @param unfinished for each run, a reference that waits or is executed; null without one
 */
export function refreshPlan(
  runs: RunOfTrigger[],
  unfinished: (number | null)[],
  configuration: ApiConfiguration,
): Omit<TriggerPlan, 'leftOut'> {
  const places = new Set<string>();
  const waiting = new Map(runs.map((run, place) => [run.runId, unfinished[place] ?? null]));
  return partition(runs, (run) => {
    if (run.isPrivate) return 'A reference is public, and this run is not.';
    const obstacle = obstacleTo(asReference(run, configuration), configuration);
    if (obstacle !== null) return obstacle;
    const reference = waiting.get(run.runId);
    if (reference) return `Run ${reference}, a reference, has not finished.`;
    const place = placeOf(run);
    if (places.has(place)) return 'Another selected run is for the same suite and architecture.';
    places.add(place);
    return null;
  });
}

function asReference(run: RunOfTrigger, { server }: ApiConfiguration): RunOfTrigger {
  const [variant = run.variant] = server.variants;
  return { ...run, pinPackages: [], extraAptSources: [], backend: server.defaultBackend, variant };
}

export function placeOf({ package: name, suite, arch }: TestPlace): string {
  return `${name} ${suite} ${arch}`;
}

function partition(
  runs: RunOfTrigger[],
  obstacle: (run: RunOfTrigger) => string | null,
): Omit<TriggerPlan, 'leftOut'> {
  const plan: Omit<TriggerPlan, 'leftOut'> = { runs: [], refused: [] };
  for (const run of runs) {
    const reason = obstacle(run);
    if (reason === null) plan.runs.push(run);
    else plan.refused.push({ run, reason });
  }
  return plan;
}
