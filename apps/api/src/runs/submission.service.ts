import { Injectable } from '@nestjs/common';
import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { type IdempotencyKey, type Once, type Requestor, Submissions } from '@proctor/database';
import { DispatcherClient } from '../dispatchers/dispatcher-client';
import { answerOf } from '../http/idempotency.interceptor';
import { ResultLongPoll } from './result-long-poll';
import type { IgnoredItem } from './accept';
import { type Asker, type DryRunAnswer, DryRuns } from './dry-run';
import { RequestJudge } from './request-judge';
import { SupersedingService } from './superseding.service';
import type { Submitted } from './submitted-items';

/** The body of a 201. */
export interface SubmissionAnswer {
  runs: { run_id: number; package: string; suite: string; arch: string }[];
  ignored: IgnoredItem[];
  warnings: string[];
}

/** Sends hints about new runs. A dispatcher or a client that misses one finds the rows without it. */
@Injectable()
export class NewRuns {
  constructor(
    private readonly dispatchers: DispatcherClient,
    private readonly longPoll: ResultLongPoll,
  ) {}

  /** Notifies the dispatchers of the runs' architectures, and the clients that wait for results. */
  notifyOfRuns(runs: readonly { arch: string }[]): void {
    const counts = new Map<string, number>();
    for (const { arch } of runs) counts.set(arch, (counts.get(arch) ?? 0) + 1);
    for (const [arch, count] of counts)
      this.dispatchers.signal(subjectOf(SUBJECTS.runsSubmitted, arch), { count });
    if (counts.size > 0) this.longPoll.notify();
  }
}

@Injectable()
export class SubmissionService {
  constructor(
    private readonly submissions: Submissions,
    private readonly requests: RequestJudge,
    private readonly newRuns: NewRuns,
    private readonly dryRuns: DryRuns,
    private readonly superseding: SupersedingService,
  ) {}

  /** The effects of a request; nothing is written. @throws Problem 400 if an item has a fault */
  async dryRun(submitted: Submitted, asker: Asker): Promise<DryRunAnswer> {
    return this.dryRuns.of(await this.requests.judge(submitted, asker.userName), asker);
  }

  /**
   * Accepts a whole request: when this resolves, its runs are committed, those that they supersede have ended, and
   * signals were sent. A dry run is answered like `dryRun`.
   * @param claim null if the same request may create runs again
   * @throws Problem 400 if an item has a fault; 409 if another request used the idempotency key; then it creates nothing
   */
  async submit(submitted: Submitted, requestor: Requestor, claim: IdempotencyKey | null): Promise<unknown> {
    if (submitted.isDryRun) return this.dryRun(submitted, requestor);
    const { runs, ignored, warnings } = await this.requests.judge(submitted, requestor.userName);
    const answer = (runIds: number[]): SubmissionAnswer => ({
      runs: runs.map(({ package: name, suite, arch }, index) => ({
        run_id: runIds[index]!,
        package: name,
        suite,
        arch,
      })),
      ignored,
      warnings,
    });
    const outcome: Once = claim
      ? await this.submissions.submitOnce(claim, runs, requestor, answer)
      : { kind: 'created', answer: answer(await this.submissions.submit(runs, requestor)) };
    if (outcome.kind === 'created') {
      this.newRuns.notifyOfRuns(runs);
      await this.superseding.endOlder((outcome.answer as SubmissionAnswer).runs);
    }
    return answerOf(outcome);
  }
}
