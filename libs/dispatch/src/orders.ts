import { grantOf } from '@proctor/contracts';
import type { DispatcherState } from './dispatcher-state';
import type { Cancellation, Order, Revocation, Trust, Write } from './journal';
import type { AttemptToStop, Step } from './messages';

/** Commits that the dispatcher did not make: its memory follows, and the workers of cancelled runs are signalled. */
export function onOrders(state: DispatcherState, orders: Order[], now: number): Step<'orders'> {
  const ends = orders.map((order) => effectOf(state, order, now));
  const writes: Write[] = [
    ...orders.map(({ orderId }) => ({ kind: 'ingest-order' as const, orderId })),
    ...ends.flatMap((end) => end.writes),
  ];
  const mayGrantMore = orders.some(({ kind }) => kind === 'trust' || kind === 'revoke');
  const stops = ends.flatMap((end) => end.stops);
  return { writes, reply: undefined, stops, ...(mayGrantMore && { workWaiting: true }) };
}

/** What an order leads to, beside that it was taken: writes, and attempts that are of no use any more. */
interface OrderEffect {
  writes: Write[];
  stops: AttemptToStop[];
}

function effectOf(state: DispatcherState, order: Order, now: number): OrderEffect {
  switch (order.kind) {
    case 'cancel':
      return { writes: [], stops: cancelled(state, order, now) };
    case 'reprioritise':
      state.reprioritise(order.runId, order.priority);
      return { writes: [], stops: [] };
    case 'publish':
      state.publish(order.runId);
      return { writes: [], stops: [] };
    case 'restrictions':
    case 'register':
      // A message of its own tells how that is now.
      return { writes: [], stops: [] };
    case 'trust':
      return { writes: trusted(state, order), stops: [] };
    case 'revoke':
      return revoked(state, order, now);
  }
}

function trusted(state: DispatcherState, { worker, by, reason }: Trust): Write[] {
  return state.judgements.trusted(worker, `trusted by ${by}${withReason(reason)}`);
}

/** Everything that the worker holds waits again, without a failed attempt. */
function revoked(state: DispatcherState, { worker, by, reason }: Revocation, now: number): OrderEffect {
  const why = `worker ${worker} was revoked by ${by}${withReason(reason)}`;
  const held = state.leases.byGrant().filter(({ lease }) => lease.worker === worker);
  const writes = held.map(({ run }) => state.requeue(run, { outcome: 'returned', reason: why }, 0, now));
  state.forgetWorker(worker);
  const stops = held.map(({ run }) => ({ worker, ...grantOf(run), reason: why }));
  return { writes, stops };
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
