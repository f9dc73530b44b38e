import type { Grant } from '@proctor/contracts';
import type { DispatcherState } from './dispatcher-state';
import { explained } from './explain';
import { leaseRequested } from './granting';
import { renewed, returned, ticked } from './holding';
import type { DispatchedRun, RegisteredWorker, Restrictions } from './journal';
import type { MessageKind, MessageOf, Step } from './messages';
import { ordered } from './obeying';
import { finishReported, lateReported, mayFinish, reportRefused, startReported } from './reporting';
import type { DispatchSettings } from './settings';
import { statusAsked } from './status';

type Handlers = {
  [K in MessageKind]: (state: DispatcherState, message: MessageOf<K>, now: number) => Step<K>;
};

const HANDLERS: Handlers = {
  arrivals: (state, { runs }, now) => arrived(state, runs, now),
  orders: (state, { orders }, now) => ordered(state, orders, now),
  restrictions: (state, { restrictions }) => decided(state, restrictions),
  workers: (state, { workers }) => registerRead(state, workers),
  lease: (state, { request }, now) => leaseRequested(state, request, now),
  renew: (state, { request }, now) => renewed(state, request, now),
  return: (state, { request }, now) => returned(state, request, now),
  started: (state, { report }, now) => startReported(state, report, now),
  'may-finish': (state, { report }, now) => mayFinish(state, report, now),
  finished: (state, { report }, now) => finishReported(state, report, now),
  late: (state, { report }, now) => lateReported(state, report, now),
  'report-refused': (state, { attempt, reason }, now) => reportRefused(state, attempt, reason, now),
  'reports-waiting': (state, { attempts }) => reportsWaiting(state, attempts),
  settings: (state, { settings }, now) => reconfigured(state, settings, now),
  tick: (state, { hearing, expiringMs }, now) => ticked(state, hearing, expiringMs ?? now, now),
  explain: (state, { runId, viewer = {} }, now) => explained(state, runId, viewer, now),
  status: (state, { request = {} }, now) => statusAsked(state, request, now),
};

/**
 * Handles one message. Memory is changed at once, so the state is good for nothing when the writes cannot be committed.
 * @param now monotonic milliseconds, never less than in an earlier call
 */
export function step<K extends MessageKind>(
  state: DispatcherState,
  message: MessageOf<K>,
  now: number,
): Step<K> {
  const handle = HANDLERS[message.kind];
  return handle(state, message, now);
}

function arrived(state: DispatcherState, runs: DispatchedRun[], now: number): Step<'arrivals'> {
  const writes = runs.map((run) => state.takeIn(run, now));
  return { writes, reply: undefined, workWaiting: runs.length > 0 };
}

/** A pause or drain may have ended. */
function decided(state: DispatcherState, restrictions: Restrictions): Step<'restrictions'> {
  state.restrictions = restrictions;
  return { writes: [], reply: undefined, workWaiting: true };
}

/** Workers may have been added. Leases of one that was taken out end by an order, or at its next renewal. */
function registerRead(state: DispatcherState, workers: RegisteredWorker[]): Step<'workers'> {
  state.registered.replace(workers);
  for (const worker of state.workers.names())
    if (state.registered.whyNotRegistered({ worker }) !== undefined) state.forgetWorker(worker);
  return { writes: [], reply: undefined, workWaiting: true };
}

/** Leases that are out keep what they were granted with; runs whose extra apt source has appeared may go. */
function reconfigured(state: DispatcherState, settings: DispatchSettings, now: number): Step<'settings'> {
  state.reconfigure(settings, now);
  return { writes: [], reply: undefined, workWaiting: true };
}

function reportsWaiting(state: DispatcherState, grants: Grant[]): Step<'reports-waiting'> {
  const waiting = new Map<number, Grant[]>();
  for (const grant of grants) waiting.set(grant.runId, [...(waiting.get(grant.runId) ?? []), grant]);
  state.reportsWaiting = waiting;
  return { writes: [], reply: undefined };
}
