/**
 * The first $2 rows `r` in that order, read by the index that has it. A planner that expects fewer rows than
 * a limit sorts all of them, and before the first statistics it expects a few hundred, however many there
 * are. It does not know the inner limit, and assumes a tenth of the rows; the outer limit gives it the number
 * of rows of the result.
 */
export function firstInOrder(rows: string, order: string): string {
  return `
    select * from (select * from ${rows} order by ${order} limit (select $2::integer)) r order by ${order} limit $2`;
}

/**
 * Rows of the architecture $1 that wait to be dealt with, by ascending ids, $2 at most, chosen before anything else is
 * looked at. `r.arch = $1` would let the primary key give this order, too, and statistics of when many waited would make
 * the planner walk it past all rows that were dealt with since. The order of a range of architectures has one index
 * only: the partial one of what waits.
 */
export function waitingRows(table: 'orders' | 'facts', isWaiting: string, id: string): string {
  return firstInOrder(`${table} r where r.arch between $1 and $1 and ${isWaiting}`, `r.arch, r.${id}`);
}
