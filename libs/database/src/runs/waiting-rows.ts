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
 * Rows of the architecture $1 that wait to be handled, by ascending ids, $2 at most, selected before anything
 * else is read. With `r.arch = $1` the primary key would give this order too, and statistics from a time when
 * many rows waited would make the planner read all rows that were handled since. A range of architectures has
 * only one index with this order: the partial one of waiting rows.
 */
export function waitingRows(table: 'orders' | 'facts', isWaiting: string, id: string): string {
  return firstInOrder(`${table} r where r.arch between $1 and $1 and ${isWaiting}`, `r.arch, r.${id}`);
}
