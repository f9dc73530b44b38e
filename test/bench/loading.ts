import { DispatcherState } from '@proctor/dispatch';
import type { OpenDatabase } from '@proctor/database';
import { settings } from '../support/runs';
import type { Pair } from './pairs';
import { request } from './submitting';

const HALF_LIFE_MS = 3_600_000;
const LIST_LENGTH = 20_000;

/** What a scheduler does before it serves an architecture: reading all that waits, and putting it in order. */
export async function loading(
  database: OpenDatabase,
  submitter: { userId: number; keyId: number },
  fewWaiting: number,
  manyWaiting: number,
): Promise<Pair> {
  await submit(database, submitter, 'few', fewWaiting);
  await submit(database, submitter, 'many', manyWaiting);
  return {
    name: `an architecture loaded, ${manyWaiting} waiting against ${fewWaiting}`,
    measured: { what: `${manyWaiting} waiting`, run: () => load(database, 'many', manyWaiting) },
    baseline: { what: `${fewWaiting} waiting`, run: () => load(database, 'few', fewWaiting) },
    rounds: 5,
  };
}

async function submit(
  database: OpenDatabase,
  submitter: { userId: number; keyId: number },
  arch: string,
  waiting: number,
): Promise<void> {
  for (let left = waiting; left > 0; left -= LIST_LENGTH) {
    const length = Math.min(left, LIST_LENGTH);
    const requests = Array.from({ length }, (_, index) => ({ ...request(left - index), arch }));
    await database.submissions.submit(requests, submitter);
  }
}

async function load(database: OpenDatabase, arch: string, waiting: number): Promise<void> {
  const loaded = await database.journal.load(arch, HALF_LIFE_MS);
  const state = new DispatcherState({ arch, epoch: 1 }, settings(), loaded, 0);
  if (state.runs.size !== waiting) throw new Error(`${state.runs.size} runs were loaded, not ${waiting}`);
}
