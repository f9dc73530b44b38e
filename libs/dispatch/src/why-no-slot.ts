import type { TestbedState } from '@proctor/contracts';
import { offersRoom, type Needs } from './ability';
import type { DispatcherState } from './dispatcher-state';
import type { AbleSlots } from './estimates';
import { decisionText, drainOf } from './restrictions';
import { standingText } from './standing-details';
import type { View } from './view';
import { testbedState, type KnownWorker } from './workers';

/** Workers that are named in an explanation; the others are counted. */
const WORKERS_NAMED_MAX = 10;

/** Why no worker could execute such a run, for people; empty when some worker could as soon as a slot is free. */
export function whyNoWorker(state: DispatcherState, needs: Needs, view: View, now: number): string[] {
  const living = livingWorkers(state, now);
  if (living.length === 0) return [whyNoWorkerAtAll(state)];
  const workers = living.filter(
    ({ worker, privateRunsOnly }) =>
      state.registered.mayExecute(worker, needs) && (needs.isPrivate || !privateRunsOnly),
  );
  if (workers.length === 0) return [needs.isPrivate ? whyNoPrivate(state) : 'no worker takes public tests'];
  const ill = workers.filter((knownWorker) => knownWorker.problem !== undefined);
  const problems = reasonsByWorker(
    ill,
    (knownWorker) => `worker ${knownWorker.worker}: ${knownWorker.problem}`,
  );
  const healthy = workers.filter((knownWorker) => knownWorker.problem === undefined);
  if (healthy.length === 0) return problems;
  const offering = healthy.filter(
    (knownWorker) => offersRoom(knownWorker, needs) && stateFor(knownWorker, needs),
  );
  if (offering.length === 0) return [nothingOffered(healthy, needs), ...problems];
  const going = offering.filter((knownWorker) => whyStopped(state, knownWorker, view, now) === undefined);
  if (going.some((knownWorker) => stateFor(knownWorker, needs) === 'ready')) return [];
  const stopped = offering.filter((knownWorker) => !going.includes(knownWorker));
  const stops = reasonsByWorker(stopped, (knownWorker) => whyStopped(state, knownWorker, view, now) ?? '');
  return [
    ...reasonsByWorker(going, (knownWorker) => whyNotReady(state.arch, knownWorker, needs)),
    ...stops,
    ...problems,
  ];
}

/** Why the slots that could execute such a run do not, for people; empty when one is free. */
export function whyNoSlot({ workers, avoided, total, free, elsewhere }: AbleSlots): string[] {
  if (workers.length === 0 || free > 0) return [];
  const failures = reasonsByWorker(
    avoided,
    ({ worker }) => `it failed on worker ${worker}, so it waits for another one`,
  );
  const others =
    elsewhere === 0
      ? ''
      : ` (${elsewhere === total ? '' : `${elsewhere} `}on ${total === 1 ? 'another architecture' : 'other architectures'})`;
  if (total === 1) return [`the only suitable slot is busy${others}`, ...failures];
  return [`all ${total} suitable slots are busy${others}`, ...failures];
}

export function livingWorkers(state: DispatcherState, now: number): KnownWorker[] {
  return state.workers.listAliveSince(now - state.settings.workerQuietMaxMs);
}

function whyNoWorkerAtAll(state: DispatcherState): string {
  if (!state.workers.anyKnown) return `no worker has requested work on ${state.arch} yet`;
  return `no worker of ${state.arch} has sent a message in the last ${quietSeconds(state)} s`;
}

function whyNoPrivate(state: DispatcherState): string {
  if (!state.registered.anyPrivate()) return 'no worker may run private tests';
  return `no worker that may run private tests has sent a message in the last ${quietSeconds(state)} s`;
}

function quietSeconds({ settings }: DispatcherState): number {
  return Math.floor(settings.workerQuietMaxMs / 1000);
}

function nothingOffered(workers: KnownWorker[], needs: Needs): string {
  const { suite, backend, variant, sizeClass } = needs;
  const backends = workers.flatMap((knownWorker) => [
    ...knownWorker.builds,
    ...knownWorker.testbeds.map((t) => t.backend),
  ]);
  if (!backends.includes(backend)) return `no worker offers backend ${backend}`;
  if (!workers.some((knownWorker) => knownWorker.variants.includes(variant)))
    return `no worker offers variant ${variant}`;
  if (!workers.some((knownWorker) => stateFor(knownWorker, needs))) {
    return `no worker offers suite ${suite} on backend ${backend}`;
  }
  if (sizeClass !== null && !workers.some((knownWorker) => knownWorker.sizeClasses.includes(sizeClass))) {
    return `size class ${sizeClass}: no slot is configured for it`;
  }
  const size = sizeClass === null ? '' : ` and size class ${sizeClass}`;
  return `no worker offers suite ${suite} on backend ${backend} together with variant ${variant}${size}`;
}

/** Why a worker that could execute the run does not get it. */
function whyStopped(
  state: DispatcherState,
  { worker }: KnownWorker,
  view: View,
  now: number,
): string | undefined {
  const drain = drainOf(state.restrictions, worker);
  if (drain) return decisionText(`worker ${worker}`, 'drained', drain);
  const details = state.judgements.detailsOf(state, worker, now);
  return details && `worker ${worker} is ${standingText({ ...details, reason: view.reasonOf(details) })}`;
}

function whyNotReady(arch: string, knownWorker: KnownWorker, needs: Needs): string {
  const state = stateFor(knownWorker, needs);
  const { suite, backend } = needs;
  const detail = knownWorker.testbeds.find((t) => t.suite === suite && t.backend === backend)?.detail;
  const image = `the image ${suite}/${arch}`;
  if (state === 'building') {
    return `worker ${knownWorker.worker} is building ${image}${detail === undefined ? '' : ` (${detail})`}`;
  }
  if (state === 'failed') {
    return `worker ${knownWorker.worker} could not build ${image}: ${detail ?? 'no reason given'}`;
  }
  return `worker ${knownWorker.worker} has not built ${image} yet`;
}

function reasonsByWorker(workers: KnownWorker[], reason: (knownWorker: KnownWorker) => string): string[] {
  const reasons = workers.slice(0, WORKERS_NAMED_MAX).map(reason);
  const others = workers.length - reasons.length;
  return others === 0 ? reasons : [...reasons, `and ${others} more workers`];
}

function stateFor(knownWorker: KnownWorker, { suite, backend }: Needs): TestbedState | undefined {
  return testbedState(knownWorker, suite, backend);
}
