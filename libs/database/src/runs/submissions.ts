import { Injectable } from '@nestjs/common';
import type { RunRequest } from '@proctor/contracts';
import { CommitGroups } from '../kit/commit-groups';
import { Database, type Transaction } from '../kit/database';
import { insertRuns, type Submitter } from './insert-runs';
import { claim, earlier, type IdempotencyKey, saveAnswers, nameOf, type Once } from '../kit/once';
import { statement, text } from '../kit/statement';

/** The content of one request. */
interface Submission {
  requests: RunRequest[];
  submitter: Submitter;
  /** Null for a request without an idempotency key, which creates new runs each time. */
  key: IdempotencyKey | null;
  answer: (runIds: number[]) => unknown;
}

/** A longer list gets its own transaction: others should not wait for it. */
const GROUPED_RUNS_MAX = 20;
/** Runs of all members of a group. */
const GROUP_RUNS_MAX = 400;
/** A group does not wait longer for the lock of another transaction, since all its members would wait. */
const GROUP_LOCK_TIMEOUT_MS = 50;

/** Accepts requests: each becomes a queued run. */
@Injectable()
export class Submissions {
  private readonly groups: CommitGroups<Submission, Once>;

  constructor(private readonly database: Database) {
    this.groups = new CommitGroups({
      together: (submissions) => this.together(submissions),
      fits,
      requestTimeoutMs: database.limits.requestTimeoutMs,
    });
  }

  /** Creates all runs or none, in one transaction. @returns the run ids, in the order of the requests */
  async submit(requests: RunRequest[], submitter: Submitter): Promise<number[]> {
    if (requests.length === 0) return [];
    const outcome = await this.execute({ requests, submitter, key: null, answer: (runIds) => runIds });
    return (outcome as { answer: number[] }).answer;
  }

  /**
   * Creates runs at most once for an idempotency key; the answer is saved in the same transaction.
   * @param answer builds the answer, JSON, from the run ids
   */
  submitOnce(
    key: IdempotencyKey,
    requests: RunRequest[],
    submitter: Submitter,
    answer: (runIds: number[]) => unknown,
  ): Promise<Once> {
    return this.execute({ requests, submitter, key, answer });
  }

  private async execute(submission: Submission): Promise<Once> {
    if (submission.requests.length <= GROUPED_RUNS_MAX) return this.groups.runTask(submission);
    const [outcome] = await this.together([submission]);
    return outcome!;
  }

  /** The outcome of each, in their order, in one transaction. Their idempotency keys differ. */
  private together(submissions: Submission[]): Promise<Once[]> {
    return this.database.transaction(async (transaction) => {
      if (submissions.length > 1) limitLocks(transaction);
      const claimed = await claims(transaction, submissions);
      const created = submissions.filter(({ key }) => !key || claimed.has(nameOf(key)));
      const answers = new Map<Submission, unknown>();
      const runIds = await insertRuns(transaction, created);
      let place = 0;
      for (const submission of created) {
        const { length } = submission.requests;
        answers.set(submission, submission.answer(runIds.slice(place, place + length)));
        place += length;
      }
      const answersToSave = created.flatMap((each) =>
        each.key ? [{ key: each.key, answer: answers.get(each) }] : [],
      );
      if (answersToSave.length > 0) await saveAnswers(transaction, answersToSave);
      return Promise.all(
        submissions.map(async (each): Promise<Once> =>
          answers.has(each)
            ? { kind: 'created', answer: answers.get(each) }
            : earlier(transaction, each.key!),
        ),
      );
    });
  }
}

function fits({ requests, key }: Submission, others: Submission[]): boolean {
  const runs = others.reduce((sum, other) => sum + other.requests.length, requests.length);
  const isClaimed = key && others.some((other) => other.key && nameOf(other.key) === nameOf(key));
  return runs <= GROUP_RUNS_MAX && !isClaimed;
}

/** Its answer is not awaited: if it fails, the statements after it fail for the same reason. */
function limitLocks(transaction: Transaction): void {
  transaction.query(LOCK_TIMEOUT, [String(GROUP_LOCK_TIMEOUT_MS)]).catch(() => undefined);
}

/** The names of the keys that are claimed now. */
async function claims(transaction: Transaction, submissions: Submission[]): Promise<ReadonlySet<string>> {
  const keys = submissions.flatMap(({ key }) => key ?? []);
  if (keys.length === 0) return new Set();
  const isClaimed = await claim(transaction, keys);
  return new Set(keys.filter((_key, place) => isClaimed[place]).map(nameOf));
}

const LOCK_TIMEOUT = statement(
  { set: text },
  `select set_config('lock_timeout', $1, true) as set`,
).asPrepared;
