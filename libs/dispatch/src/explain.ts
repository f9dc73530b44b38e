import type { TestbedState } from '@proctor/contracts';
import type { DispatcherState } from './dispatcher-state';
import { stateOf } from './dispatcher-state';
import type { DispatchedRun } from './journal';
import type { Step } from './messages';
import { testbedState, type KnownWorker } from './workers';

/** Workers that are named in an explanation; the others are counted. */
const WORKERS_NAMED_MAX = 10;

/** Why a run waits, the weightiest reason first. */
export function explained(state: DispatcherState, runId: number, now: number): Step<'explain'> {
  const run = state.runs.get(runId);
  const reasons = run && stateOf(run) === 'queued' ? whyWaiting(state, run, now) : [];
  return { writes: [], reply: { ...state.answer, runId, reasons } };
}

export function statusAsked(state: DispatcherState, now: number): Step<'status'> {
  const workers = livingWorkers(state, now).map((known) => ({
    worker: known.worker,
    slots: known.slots.size,
    busy: state.leases.busySlotsOf(known.worker, known.slots),
    testbeds: known.testbeds,
    variants: known.variants,
    ...(known.problem !== undefined && { problem: known.problem }),
  }));
  return { writes: [], reply: { ...state.answer, workers } };
}

function whyWaiting(state: DispatcherState, run: DispatchedRun, now: number): string[] {
  const missing = state.missingSource(run);
  const ahead = state.queues.countBefore(run);
  return [
    ...(missing === undefined ? [] : [`the extra apt source ${missing} is not configured any more`]),
    ...whyDelayed(state, run, now),
    ...whyNoWorker(state, run, now),
    ...(ahead === 0 ? [] : [`${ahead} ${ahead === 1 ? 'run goes' : 'runs go'} before it`]),
  ];
}

function whyDelayed(state: DispatcherState, run: DispatchedRun, now: number): string[] {
  const delayed = state.delays.get(run.runId);
  if (!delayed) return [];
  const seconds = Math.max(0, Math.ceil((delayed.notBeforeMs - now) / 1000));
  return [`waits ${seconds} s more after attempt ${run.attempt} ended: ${delayed.reason}`];
}

function whyNoWorker(state: DispatcherState, run: DispatchedRun, now: number): string[] {
  const workers = livingWorkers(state, now);
  if (workers.length === 0) return [whyNoWorkerAtAll(state)];
  const sound = workers.filter((known) => known.problem === undefined);
  const problems = named(
    workers.filter((known) => known.problem !== undefined),
    (known) => `worker ${known.worker}: ${known.problem}`,
  );
  if (sound.length === 0) return problems;
  const able = sound.filter((known) => known.variants.includes(run.variant) && stateFor(known, run));
  if (able.length === 0) return [nothingOffered(sound, run), ...problems];
  const ready = able.filter((known) => stateFor(known, run) === 'ready');
  if (ready.length === 0)
    return [...named(able, (known) => whyNotReady(state.arch, known, run)), ...problems];
  return whyNoSlot(state, ready);
}

function whyNoWorkerAtAll(state: DispatcherState): string {
  if (!state.workers.anyKnown) return `no worker has asked for work on ${state.arch} yet`;
  const seconds = Math.floor(state.settings.workerQuietMaxMs / 1000);
  return `no worker of ${state.arch} was heard of in the last ${seconds} s`;
}

function nothingOffered(workers: KnownWorker[], run: DispatchedRun): string {
  const { suite, backend, variant } = run;
  const backends = workers.flatMap((known) => [...known.builds, ...known.testbeds.map((t) => t.backend)]);
  if (!backends.includes(backend)) return `no worker offers backend ${backend}`;
  if (!workers.some((known) => known.variants.includes(variant)))
    return `no worker offers variant ${variant}`;
  if (!workers.some((known) => stateFor(known, run))) {
    return `no worker offers suite ${suite} on backend ${backend}`;
  }
  return `no worker offers suite ${suite} on backend ${backend} together with variant ${variant}`;
}

function whyNotReady(arch: string, known: KnownWorker, run: DispatchedRun): string {
  const state = stateFor(known, run);
  const { suite, backend } = run;
  const detail = known.testbeds.find((t) => t.suite === suite && t.backend === backend)?.detail;
  const image = `the image ${run.suite}/${arch}`;
  if (state === 'building') {
    return `worker ${known.worker} is building ${image}${detail === undefined ? '' : ` (${detail})`}`;
  }
  if (state === 'failed') {
    return `worker ${known.worker} could not build ${image}: ${detail ?? 'no reason given'}`;
  }
  return `worker ${known.worker} has yet to build ${image}`;
}

function whyNoSlot(state: DispatcherState, ready: KnownWorker[]): string[] {
  let slots = 0;
  let busy = 0;
  for (const known of ready) {
    slots += known.slots.size;
    busy += state.leases.busySlotsOf(known.worker, known.slots);
  }
  if (busy < slots) return [];
  return [
    slots === 1
      ? 'the one slot that can execute it is busy'
      : `all ${slots} slots that can execute it are busy`,
  ];
}

function named(workers: KnownWorker[], reason: (known: KnownWorker) => string): string[] {
  const reasons = workers.slice(0, WORKERS_NAMED_MAX).map(reason);
  const others = workers.length - reasons.length;
  return others === 0 ? reasons : [...reasons, `${others} more workers likewise`];
}

function stateFor(known: KnownWorker, run: DispatchedRun): TestbedState | undefined {
  return testbedState(known, run.suite, run.backend);
}

function livingWorkers(state: DispatcherState, now: number): KnownWorker[] {
  return state.workers.heardSince(now - state.settings.workerQuietMaxMs);
}
