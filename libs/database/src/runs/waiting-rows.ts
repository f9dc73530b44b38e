/**
 * The first $2 rows `r` in this order, read through the index of the order. A planner that expects fewer rows than
 * the limit sorts all of them, and before the first statistics it expects a few hundred, however many there are. It
 * does not know the inner limit, and assumes a tenth of the rows; the outer limit gives it the number of rows of the
 * result.
 */
export function firstInOrder(rows: string, order: string): string {
  return `
    select * from (select * from ${rows} order by ${order} limit (select $2::integer)) r order by ${order} limit $2`;
}

/**
 * Waiting rows of the architecture $1, by ascending ids, at most $2, chosen before anything else is read. With
 * `r.arch = $1`, the primary key would have this order too, and with statistics from a time when many rows waited,
 * the planner would read it past all rows that are done since. For a range of architectures only one index has this
 * order: the partial one of waiting rows.
 */
export function waitingRows(table: 'orders' | 'facts', isWaiting: string, id: string): string {
  return firstInOrder(`${table} r where r.arch between $1 and $1 and ${isWaiting}`, `r.arch, r.${id}`);
}
