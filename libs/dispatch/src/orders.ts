import { grantOf } from '@proctor/contracts';
import type { DispatcherState } from './dispatcher-state';
import { handBack, type HandedBack } from './handing-back';
import type { Write } from './journal';
import type { Cancellation, DispatchedRun, Order, Quarantine, Revocation, Trust } from './journal-records';
import type { AttemptToStop, Step } from './messages';

/** Orders after which workers may execute more than before, or more runs wait than before. */
const MAY_GRANT_MORE: ReadonlySet<Order['kind']> = new Set(['publish', 'trust', 'revoke']);

/** Changes that other processes committed: memory follows them, and the workers of cancelled runs get a signal. */
export function onOrders(
  state: DispatcherState,
  orders: Order[],
  runs: DispatchedRun[],
  now: number,
): Step<'orders'> {
  const ends = orders.map((order) => effectOf(state, order, now));
  // A run that was beyond the edge of its line may be before the edge of another now.
  for (const run of runs) state.ingest(run, now);
  const writes: Write[] = [
    ...orders.map(({ orderId }) => ({ kind: 'ingest-order' as const, orderId })),
    ...ends.flatMap((end) => end.writes),
  ];
  const mayGrantMore = orders.some(({ kind }) => MAY_GRANT_MORE.has(kind));
  const stops = ends.flatMap((end) => end.stops);
  return { writes, reply: undefined, stops, ...(mayGrantMore && { workWaiting: true }) };
}

/** What an order causes, beside that it counts as ingested. */
function effectOf(state: DispatcherState, order: Order, now: number): HandedBack {
  if ('place' in order && order.place) state.lines.markChanged(order.place);
  switch (order.kind) {
    case 'cancel':
      return { writes: [], stops: cancelled(state, order, now) };
    case 'reprioritise':
      state.change(order.runId, (run) => (run.priority = order.priority));
      return { writes: [], stops: [] };
    case 'publish':
      state.change(order.runId, (run) => state.runs.publish(run));
      return { writes: [], stops: [] };
    case 'restrictions':
    case 'register':
      // A message of its own brings the new state.
      return { writes: [], stops: [] };
    case 'trust':
      return { writes: trusted(state, order), stops: [] };
    case 'quarantine':
      return { writes: quarantined(state, order, now), stops: [] };
    case 'revoke':
      return revoked(state, order, now);
  }
}

function trusted(state: DispatcherState, { worker, by, reason }: Trust): Write[] {
  return state.judgements.trust(worker, `trusted by ${by}${withReason(reason)}`);
}

function quarantined(state: DispatcherState, { worker, by, reason }: Quarantine, now: number): Write[] {
  return state.judgements.quarantine(worker, `quarantined by ${by}: ${reason}`, now);
}

function revoked(state: DispatcherState, { worker, by, reason }: Revocation, now: number): HandedBack {
  const ends = handBack(state, worker, `worker ${worker} was revoked by ${by}${withReason(reason)}`, now);
  state.removeWorker(worker);
  return ends;
}

function withReason(reason: string | null): string {
  return reason === null ? '' : `: ${reason}`;
}

function cancelled(state: DispatcherState, order: Cancellation, now: number): AttemptToStop[] {
  const { runId, worker, by } = order;
  const reason = `the run was cancelled by ${by}`;
  state.cancel(runId, reason, now);
  return worker === null ? [] : [{ ...grantOf(order), worker, reason }];
}
