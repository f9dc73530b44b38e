import { Client } from 'pg';

/** How often the database is asked in this process: the least of some times, as what the clock does may come between. */
export async function leastStatements(ask: () => Promise<unknown>): Promise<number> {
  const query = jest.spyOn(Client.prototype, 'query');
  const counts: number[] = [];
  for (let before = 0; counts.length < 4; before = query.mock.calls.length) {
    await ask();
    counts.push(query.mock.calls.length - before);
  }
  query.mockRestore();
  return Math.min(...counts);
}
