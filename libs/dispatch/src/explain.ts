import type { Beyond } from './view';
import type { DispatcherState } from './dispatcher-state';
import { needsOfRun, prospectOf, type Prospect } from './estimates';
import type { DispatchedRun } from './journal-records';
import { whyNotLeasable } from './lease-terms';
import { stateOf } from './lifecycle';
import type { Step } from './messages';
import type { Ahead } from './positions';
import { View, type StatusViewer } from './view';
import { capText, whyPaused, whySuiteAtCap } from './why-stopped';
import { whyNoSlot, whyNoWorker } from './why-no-slot';

/** The reason for a run that waits according to its row. */
const NOT_INGESTED = 'the scheduler has not read it yet';
const NEXT = 'a slot is free and starts it soon';
/** The reason if nothing that the viewer may know about delays the run. */
const TURN = 'it waits for its turn';
const NOT_WAITING = { position: null, ahead: null, startsInMs: null, reasons: [] };

/**
 * Why a run waits, the most important reason first, and for how long, as far as the viewer may know: private runs of others are
 * left out.
 */
export function onExplain(
  state: DispatcherState,
  { runId, viewer, beyond }: { runId: number; viewer: StatusViewer; beyond?: Beyond },
  now: number,
): Step<'explain'> {
  const run = state.runs.find(runId) ?? beyondMemory(state, beyond?.run ?? null, now);
  const head = { ...state.answer, runId };
  const isUndecided = !beyond && state.lines.beyond.size > 0;
  if (!run) return { writes: [], reply: { ...head, ...NOT_WAITING, reasons: [NOT_INGESTED] }, isUndecided };
  if (stateOf(run) !== 'queued') return { writes: [], reply: { ...head, ...NOT_WAITING } };
  const view = new View(state, viewer, now, beyond);
  const prospect = prospectOf(state, run, view, now);
  const ahead = prospect.ahead.higher + prospect.ahead.sameLevel;
  const reasons = whyWaiting(state, run, prospect, view, now);
  const { startsInMs } = prospect;
  const reply = { ...head, position: ahead + 1, ahead, startsInMs, reasons };
  return { writes: [], reply, isUndecided: isUndecided || view.isUncounted };
}

/** A run from its row in the form of memory; undefined if the dispatcher has not ingested it yet. */
function beyondMemory(
  state: DispatcherState,
  run: DispatchedRun | null,
  now: number,
): DispatchedRun | undefined {
  if (!run || !state.lines.isBeyond(run)) return undefined;
  const copy = { ...run };
  state.ageing.rebase(copy, now);
  return copy;
}

function whyWaiting(
  state: DispatcherState,
  run: DispatchedRun,
  { ahead, slots }: Prospect,
  view: View,
  now: number,
): string[] {
  const unleasable = whyNotLeasable(run, state.settings);
  const reasons = [
    ...whyPaused(state, run),
    ...(unleasable === undefined ? [] : [unleasable]),
    ...whyDelayed(state, run, now),
    ...whySuspected(state, run),
    ...whyNoWorker(state, needsOfRun(state, run), view, now),
    ...whyAtCap(state, run, view),
    ...whyNoSlot(slots),
    ...whyBehind(ahead),
  ];
  return reasons.length > 0 ? reasons : [view.everything ? NEXT : TURN];
}

function whyDelayed(state: DispatcherState, run: DispatchedRun, now: number): string[] {
  const delayed = state.waiting.delays.find(run.runId);
  if (!delayed) return [];
  const seconds = Math.max(0, Math.ceil((delayed.notBeforeMs - now) / 1000));
  return [`waits ${seconds} s more, because attempt ${run.attempt} ended early: ${delayed.reason}`];
}

function whySuspected(state: DispatcherState, run: DispatchedRun): string[] {
  const occasions = state.suspects.occasionsOf(run);
  if (occasions === 0) return [];
  const times = occasions === 1 ? 'once' : `${occasions} times`;
  return [
    `its package failed ${times} on workers where other packages have results, so other packages go first`,
  ];
}

function whyAtCap(state: DispatcherState, { requestor, ...run }: DispatchedRun, view: View): string[] {
  const { perRequestorMax, perPackageMax } = state.settings.caps;
  const ofRequestor = view.leases((other) => other.requestor === requestor).length;
  const ofPackage = view.leases((other) => other.package === run.package).length;
  return [
    ...capText(`user ${requestor}`, ofRequestor, perRequestorMax),
    ...capText('its package', ofPackage, perPackageMax),
    ...whySuiteAtCap(state, run.suite, view),
  ];
}

function whyBehind({ higher, sameLevel }: Ahead): string[] {
  return [...aheadText(higher, 'higher priority'), ...aheadText(sameLevel, 'the same priority')];
}

function aheadText(count: number, what: string): string[] {
  if (count === 0) return [];
  return [count === 1 ? `1 run of ${what} is ahead of it` : `${count} runs of ${what} are ahead of it`];
}
