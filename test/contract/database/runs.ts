import type { RunRequest, Verdict } from '@proctor/contracts';
import { ARCH, finish, grant, request } from '../journal.fixture';
import type { Fixture } from './fixture';

/** Brings runs into any state of their lives, by the stores' own means. */
export class Runs {
  constructor(private readonly fixture: () => Fixture) {}

  async waiting(change: Partial<RunRequest> = {}, submitter = this.fixture().submitter): Promise<number> {
    return (await this.fixture().database.submissions.submit([request(change)], submitter))[0]!;
  }

  async leased(change: Partial<RunRequest> = {}): Promise<number> {
    const runId = await this.waiting(change);
    await this.fixture().commit(change.arch ?? ARCH, [grant(runId, 1)]);
    return runId;
  }

  async running(change: Partial<RunRequest> = {}): Promise<number> {
    const runId = await this.leased(change);
    await this.fixture().commit(change.arch ?? ARCH, [{ kind: 'start', runId, attempt: 1 }]);
    return runId;
  }

  async finished(
    change: Partial<RunRequest> = {},
    verdict: Verdict = 'pass',
    version = '1.0-1',
  ): Promise<number> {
    const runId = await this.leased(change);
    await this.fixture().commit(change.arch ?? ARCH, [finish(runId, 1, { verdict, version })]);
    return runId;
  }

  async cancelled(change: Partial<RunRequest> = {}): Promise<number> {
    const runId = await this.waiting(change);
    await this.fixture().database.cancellations.cancel(runId, {
      ...this.fixture().submitter,
      userName: 'ada',
    });
    return runId;
  }

  /** Moves the end of a finished run to another time. */
  async endedAt(runId: number, time: string): Promise<void> {
    await this.fixture().client.query('update runs set finished_at = $2 where run_id = $1', [runId, time]);
  }

  /** Another key of the same user, as a submitter. */
  async otherKey(): Promise<Fixture['submitter']> {
    const { id } = await this.fixture().database.apiKeys.create('ada', 'another');
    return { ...this.fixture().submitter, keyId: id };
  }
}

export const ids = (records: { runId: number }[]): number[] => records.map((record) => record.runId);
