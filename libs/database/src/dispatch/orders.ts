import type { LinePlace, Order, Write } from '@proctor/dispatch';
import { waitingRows } from '../runs/waiting-rows';
import type { OrderKind } from '../rows/order';
import {
  bigint,
  boolean,
  type ColumnsOf,
  double,
  integer,
  propertiesOf,
  type RowOf,
  selectList,
  smallint,
  statement,
  text,
} from '../kit/statement';

/**
 * An order `o`, and its run `r` if it is about one. The row of a cancelled run is final, so it still has the values
 * of then.
 */
const ORDER_COLUMNS = {
  orderId: integer,
  kind: text.as<OrderKind>(),
  runId: bigint.orNull,
  priority: smallint.orNull,
  by: text.from('u.name'),
  attempt: integer.orNull.from('r.attempt'),
  grantEpoch: bigint.from('coalesce(r.epoch, 0)'),
  /** The worker that held the lease of the run. */
  worker: text.orNull.from('r.worker'),
  /** The worker that the order is about. */
  subject: text.orNull.from('o.worker'),
  reason: text.orNull,
  suite: text.orNull.from('r.suite'),
  backend: text.orNull.from('r.backend'),
  variant: text.orNull.from('r.variant'),
  isPrivate: boolean.orNull.from('r.is_private'),
  runPriority: smallint.orNull.from('r.priority'),
  requestor: text.orNull.from('r.requestor'),
  arrivedAt: double.orNull.from('(extract(epoch from r.created_at) * 1000)::float8'),
};

/** The orders for the architecture $1 that no dispatcher has ingested, at most $2. */
export const ORDERS = statement(
  ORDER_COLUMNS,
  `
  select ${selectList(ORDER_COLUMNS, 'o')}
  from (${waitingRows('orders', 'not r.taken_in', 'order_id')}) o
  join users u on u.user_id = o.actor_id
  left join lateral (
    select attempt, worker, suite, backend, variant, is_private, priority, created_at, (
      select epoch from attempts where attempts.run_id = runs.run_id and attempts.attempt = runs.attempt
    ), (select name from users where user_id = coalesce(retried_by, requestor_id)) as requestor
    from runs where run_id = o.run_id offset 0
  ) r on true
  order by o.order_id`,
);

/** Builds an order from its row. The check constraints of the table say which columns each kind has. */
export function orderOf(order: RowOf<typeof ORDER_COLUMNS>): Order {
  const { orderId, kind, by, grantEpoch, worker, reason } = order;
  const runId = order.runId!;
  const place = placeOf(order);
  switch (kind) {
    case 'cancel':
      return { kind, orderId, runId, by, attempt: order.attempt!, grantEpoch, worker, place };
    case 'reprioritise':
      return { kind, orderId, runId, priority: order.priority!, place };
    case 'publish':
      return { kind, orderId, runId, place };
    case 'pause':
    case 'resume':
    case 'drain':
    case 'undrain':
      return { kind: 'restrictions', orderId };
    case 'register':
    case 'rotate':
      return { kind: 'register', orderId };
    case 'quarantine':
      return { kind, orderId, worker: order.subject!, by, reason: reason! };
    case 'trust':
    case 'revoke':
      return { kind, orderId, worker: order.subject!, by, reason };
  }
}

function placeOf(order: RowOf<typeof ORDER_COLUMNS>): LinePlace | null {
  const { suite, backend, variant, isPrivate, runPriority: priority, requestor, arrivedAt, runId } = order;
  if (suite === null || backend === null || variant === null || isPrivate === null) return null;
  if (priority === null || requestor === null || arrivedAt === null || runId === null) return null;
  return { suite, backend, variant, isPrivate, priority, requestor, arrivedAt, runId };
}

const ORDER_INGESTED = { orderId: integer } satisfies ColumnsOf<
  Omit<Extract<Write, { kind: 'ingest-order' }>, 'kind'>
>;

/**
 * The statement for `ingest-order` writes, in the form of `APPLY`. An order may have been ingested before. Orders are
 * found by ids alone, for the same reason as runs: with statistics that have no order of this architecture, the
 * planner would read all orders.
 */
export const INGEST_ORDERS = statement(
  { id: integer },
  `
    with expected as materialized (
      select o.order_id, o.arch, o.taken_in from jsonb_to_recordset($1::jsonb) as w(${propertiesOf(ORDER_INGESTED)}) cross join lateral (
        select order_id, arch, taken_in from orders where order_id = w."orderId" offset 0 for no key update
      ) o
    ),
    changed as (
      update orders o set taken_in = true from expected e
      where o.order_id = e.order_id and e.arch = $2 and not e.taken_in
    )
    select order_id as id from expected where arch = $2`,
);
