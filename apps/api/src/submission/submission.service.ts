import { Inject, Injectable } from '@nestjs/common';
import { subjectOf, SUBJECTS } from '@proctor/contracts';
import type { RunRequest } from '@proctor/contracts';
import { KeptAnswers, Packages, Submissions } from '@proctor/database';
import type { IdempotencyKey, Requestor } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { DispatcherLine } from '../dispatchers/dispatcher-line';
import { answerOf } from '../idempotency/answer-of';
import { News } from '../results/news';
import { accept } from './accept';
import type { IgnoredItem } from './accept';
import { namesWithoutBackend } from './names';
import type { Part } from './order';

/** The body of a 201. */
export interface SubmissionAnswer {
  runs: { run_id: number; package: string; suite: string; arch: string }[];
  ignored: IgnoredItem[];
  warnings: string[];
}

@Injectable()
export class SubmissionService {
  constructor(
    private readonly submissions: Submissions,
    private readonly keptAnswers: KeptAnswers,
    private readonly packages: Packages,
    private readonly line: DispatcherLine,
    private readonly news: News,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * Accepts a request as a whole: when this resolves, its runs are committed and the dispatchers were told.
   * @param readParts reads them of the request; not called when the request was answered before
   * @param once null for a request that may create again what an equal one created
   * @throws Problem 400 when an item is at fault, 409 when the idempotency key is another request's: nothing was
   *   created
   */
  async submit(readParts: () => Part[], requestor: Requestor, once: IdempotencyKey | null): Promise<unknown> {
    const earlier = once && (await this.keptAnswers.find(once));
    if (earlier) return answerOf(earlier);
    const parts = readParts();
    const backends = await this.packages.backends(namesWithoutBackend(parts));
    const { runs, ignored, warnings } = accept(parts, requestor.userName, this.configuration, backends);
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
    const { userId, keyId } = requestor;
    if (!once) {
      const runIds = await this.submissions.submit(runs, { userId, keyId });
      this.tell(runs);
      return answer(runIds);
    }
    const outcome = await this.submissions.submitOnce(once, runs, { userId, keyId }, answer);
    if (outcome.kind === 'created') this.tell(runs);
    return answerOf(outcome);
  }

  /** Only hints: a dispatcher that misses its own finds the rows by itself, and so does a waiting client. */
  private tell(runs: RunRequest[]): void {
    const counts = new Map<string, number>();
    for (const { arch } of runs) counts.set(arch, (counts.get(arch) ?? 0) + 1);
    for (const [arch, count] of counts) this.line.signal(subjectOf(SUBJECTS.runsSubmitted, arch), { count });
    if (counts.size > 0) this.news.tell();
  }
}
