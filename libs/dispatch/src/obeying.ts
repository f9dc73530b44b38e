import type { DispatcherState } from './dispatcher-state';
import type { Order } from './journal';
import type { Step } from './messages';

/** Runs were cancelled in the books: they leave the memory, and whoever executes them hears of it. */
export function ordered(state: DispatcherState, orders: Order[]): Step<'orders'> {
  const stops = orders.flatMap(({ runId, attempt, worker, by }) => {
    const reason = `the run was cancelled by ${by}`;
    state.cancel(runId, reason);
    return worker === null ? [] : [{ worker, runId, attempt, reason }];
  });
  const writes = orders.map(({ orderId, runId }) => ({ kind: 'order-taken' as const, orderId, runId }));
  return { writes, reply: undefined, stops };
}
