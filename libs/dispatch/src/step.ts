import type { DispatcherState } from './dispatcher-state';
import { DrainDeadlines } from './drain-deadlines';
import { onExplain } from './explain';
import { onLease } from './granting';
import { onRenew, onReturn, onTick } from './lease-keeping';
import type { AttemptOfWorker } from './journal';
import type { DispatchedRun, RegisteredWorker, Restrictions } from './journal-records';
import type { PartCounts, MessageKind, MessageOf, Step } from './messages';
import { isNew } from './lines';
import { onOrders } from './orders';
import { onFinished, onLate, onMayFinish, onReportRefused, onStarted } from './reporting';
import type { DispatchSettings } from './settings';
import { onStatus } from './status';

type Handlers = {
  [K in MessageKind]: (state: DispatcherState, message: MessageOf<K>, now: number) => Step<K>;
};

const HANDLERS: Handlers = {
  arrivals: (state, { runs }, now) => onArrivals(state, runs, now),
  line: (state, { after, runs, isEnd }, now) => onLine(state, { after, runs, isEnd }, now),
  counted: (state, { counts }) => onCounted(state, counts),
  orders: (state, { orders, runs = [] }, now) => onOrders(state, orders, runs, now),
  restrictions: (state, { restrictions }, now) => onRestrictions(state, restrictions, now),
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
  explain: (state, { runId, viewer = {}, beyond }, now) =>
    onExplain(state, { runId, viewer, ...(beyond && { beyond }) }, now),
  status: (state, { request = {}, beyond }, now) => onStatus(state, request, now, beyond),
};

/**
 * Handles one message. Memory is changed at once, so the state is useless when the writes cannot be committed.
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

/** What memory has about these runs is older. */
function onLine(
  state: DispatcherState,
  { after, runs, isEnd }: Omit<MessageOf<'line'>, 'kind'>,
  now: number,
): Step<'line'> {
  const edge = isEnd ? null : { ...runs.at(-1)! };
  if (edge) state.ageing.rebase(edge, now);
  if (!state.lines.extend(after, edge)) return { writes: [], reply: undefined };
  for (const run of runs) {
    const previous = state.runs.find(run.runId);
    if (previous && !isNew(previous)) continue;
    if (previous) state.removeRun(previous, now);
    state.add(run, now);
  }
  state.lines.endExtension(after);
  return { writes: [], reply: undefined, workWaiting: true };
}

function onCounted(state: DispatcherState, counts: PartCounts[]): Step<'counted'> {
  for (const { of, parts, isAll } of counts) state.lines.setCounts(of, parts, isAll);
  return { writes: [], reply: undefined };
}

/** A pause or drain may have ended. */
function onRestrictions(
  state: DispatcherState,
  restrictions: Restrictions,
  now: number,
): Step<'restrictions'> {
  state.restrictions = restrictions;
  state.drainDeadlines = new DrainDeadlines(restrictions, now);
  return { writes: [], reply: undefined, workWaiting: true };
}

/** Workers may have been added. Leases of a revoked worker end by an order, or at its next renewal. */
function onRegister(state: DispatcherState, workers: RegisteredWorker[]): Step<'workers'> {
  state.registered.replace(workers);
  for (const worker of state.workers.names())
    if (state.registered.whyNotRegistered({ worker }) !== undefined) state.removeWorker(worker);
  return { writes: [], reply: undefined, workWaiting: true };
}

/** Present leases stay as they were granted; runs whose extra apt source is configured now may be granted. */
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
