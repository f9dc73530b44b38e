import { grantOf } from '@proctor/contracts';
import type { DispatcherState } from './dispatcher-state';
import type { Cancellation, Order, Trust, Write } from './journal';
import type { AttemptToStop, Step } from './messages';

/** What was committed without the dispatcher: its memory follows, and whoever executes a cancelled run hears of it. */
export function ordered(state: DispatcherState, orders: Order[], now: number): Step<'orders'> {
  const stops = orders.flatMap((order) => obeyed(state, order, now));
  const trusts = orders.filter((order) => order.kind === 'trust');
  const writes: Write[] = [
    ...orders.map(({ orderId }) => ({ kind: 'order-taken' as const, orderId })),
    ...trusts.flatMap((order) => trusted(state, order)),
  ];
  return { writes, reply: undefined, stops, ...(trusts.length > 0 && { workWaiting: true }) };
}

function trusted(state: DispatcherState, { worker, by, reason }: Trust): Write[] {
  return state.judgements.trusted(worker, `trusted by ${by}${reason === null ? '' : `: ${reason}`}`);
}

/** Which attempts are of no use any more. */
function obeyed(state: DispatcherState, order: Order, now: number): AttemptToStop[] {
  switch (order.kind) {
    case 'cancel':
      return cancelled(state, order, now);
    case 'reprioritise':
      state.reprioritise(order.runId, order.priority);
      return [];
    case 'publish':
      state.publish(order.runId);
      return [];
    case 'standing':
      // A message of its own tells how pauses and drains are now.
      return [];
    case 'trust':
    case 'register':
    case 'revoke':
      return [];
  }
}

function cancelled(state: DispatcherState, order: Cancellation, now: number): AttemptToStop[] {
  const { runId, worker, by } = order;
  const reason = `the run was cancelled by ${by}`;
  state.cancel(runId, reason, now);
  return worker === null ? [] : [{ ...grantOf(order), worker, reason }];
}
