import type { RunRequest } from '@proctor/contracts';
import { openDatabase, type OpenDatabase } from '@proctor/database';
import { runRequest } from '../support/run-request';
import type { Pair } from './pairs';

/** A list in one statement against the same runs submitted one by one. */
export function submitting(
  database: OpenDatabase,
  submitter: { userId: number; keyId: number },
  items: number,
): Pair {
  const requests = Array.from({ length: items }, (_, index) => request(index));
  return {
    name: `${items} runs submitted, as one list against one by one`,
    measured: {
      what: 'one list',
      run: async () => void (await database.submissions.submit(requests, submitter)),
    },
    baseline: {
      what: 'one by one',
      run: async () => {
        for (const one of requests) await database.submissions.submit([one], submitter);
      },
    },
    rounds: 5,
  };
}

/** A requestor of a fresh database. */
export async function someRequestor(
  url: string,
): Promise<{ database: OpenDatabase; submitter: { userId: number; keyId: number } }> {
  const database = await openDatabase(url);
  await database.users.add('bench', { isAdmin: false });
  const { key } = await database.apiKeys.create('bench', 'bench');
  const requestor = await database.apiKeys.authenticate(key);
  if (!requestor) throw new Error('the key just made is not known');
  return { database, submitter: requestor };
}

export function request(index: number): RunRequest {
  return runRequest({ package: `package${index}`, suite: 'sid', trigger: 'bench/1' });
}
