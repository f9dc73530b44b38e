import type { DispatcherState } from './dispatcher-state';
import { onExplain } from './explain';
import { onLease } from './granting';
import { onRenew, onReturn, onTick } from './lease-keeping';
import type { AttemptOfWorker, DispatchedRun, RegisteredWorker, Restrictions } from './journal';
import type { MessageKind, MessageOf, Step } from './messages';
import { onOrders } from './orders';
import { onFinished, onLate, onMayFinish, onReportRefused, onStarted } from './reporting';
import type { DispatchSettings } from './settings';
import { onStatus } from './status';

type Handlers = {
  [K in MessageKind]: (state: DispatcherState, message: MessageOf<K>, now: number) => Step<K>;
};

const HANDLERS: Handlers = {
  arrivals: (state, { runs }, now) => onArrivals(state, runs, now),
  orders: (state, { orders }, now) => onOrders(state, orders, now),
  restrictions: (state, { restrictions }) => onRestrictions(state, restrictions),
  workers: (state, { workers }) => onRegister(state, workers),
  lease: (state, { request }, now) => onLease(state, request, now),
  renew: (state, { request }, now) => onRenew(state, request, now),
  return: (state, { request }, now) => onReturn(state, request, now),
  started: (state, { report }, now) => onStarted(state, report, now),
  'may-finish': (state, { report }, now) => onMayFinish(state, report, now),
  finished: (state, { report }, now) => onFinished(state, report, now),
  late: (state, { report }, now) => onLate(state, report, now),
  'report-refused': (state, { attempt, reason }, now) => onReportRefused(state, attempt, reason, now),
  'reports-waiting': (state, { attempts }) => onReportsWaiting(state, attempts),
  settings: (state, { settings }, now) => onSettings(state, settings, now),
  tick: (state, { workersReachable, expiringMs }, now) =>
    onTick(state, workersReachable, expiringMs ?? now, now),
  explain: (state, { runId, viewer = {} }, now) => onExplain(state, runId, viewer, now),
  status: (state, { request = {} }, now) => onStatus(state, request, now),
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

function onArrivals(state: DispatcherState, runs: DispatchedRun[], now: number): Step<'arrivals'> {
  for (const run of runs) state.ingest(run, now);
  return { writes: [], reply: undefined, workWaiting: runs.length > 0 };
}

/** A pause or drain may have ended. */
function onRestrictions(state: DispatcherState, restrictions: Restrictions): Step<'restrictions'> {
  state.restrictions = restrictions;
  return { writes: [], reply: undefined, workWaiting: true };
}

/** Workers may have been added. Leases of one that was taken out end by an order, or at its next renewal. */
function onRegister(state: DispatcherState, workers: RegisteredWorker[]): Step<'workers'> {
  state.registered.replace(workers);
  for (const worker of state.workers.names())
    if (state.registered.whyNotRegistered({ worker }) !== undefined) state.forgetWorker(worker);
  return { writes: [], reply: undefined, workWaiting: true };
}

/** Leases that are out keep what they were granted with; runs whose extra apt source has appeared may go. */
function onSettings(state: DispatcherState, settings: DispatchSettings, now: number): Step<'settings'> {
  state.reconfigure(settings, now);
  return { writes: [], reply: undefined, workWaiting: true };
}

function onReportsWaiting(state: DispatcherState, attempts: AttemptOfWorker[]): Step<'reports-waiting'> {
  const waiting = new Map<number, AttemptOfWorker[]>();
  for (const each of attempts) waiting.set(each.runId, [...(waiting.get(each.runId) ?? []), each]);
  state.expiry.reportsWaiting = waiting;
  return { writes: [], reply: undefined };
}
