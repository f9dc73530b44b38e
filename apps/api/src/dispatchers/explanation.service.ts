import { Injectable, Logger } from '@nestjs/common';
import { NoAnswer, RemoteError } from '@proctor/bus';
import { subjectOf, SUBJECTS } from '@proctor/contracts';
import type { ExplainReply, StatusReply } from '@proctor/contracts';
import { DispatcherLine } from './dispatcher-line';

const ANSWER_TIMEOUT_MS = 500;

/** What the dispatchers say about waiting runs. They may be away: the books are not, and pages show what there is. */
@Injectable()
export class ExplanationService {
  private readonly logger = new Logger('Explanation');

  constructor(private readonly line: DispatcherLine) {}

  /** Why a run waits, in order of weight, for people. */
  async reasons(run: { runId: number; arch: string }): Promise<string[]> {
    const reply = await this.ask<ExplainReply>(subjectOf(SUBJECTS.explain, run.arch), { runId: run.runId });
    return reply?.reasons ?? [`no scheduler answers for ${run.arch}`];
  }

  /** The dispatcher's view of its workers; null when none answers. */
  status(arch: string): Promise<StatusReply | null> {
    return this.ask<StatusReply>(subjectOf(SUBJECTS.status, arch), {});
  }

  private async ask<T>(subject: string, question: object): Promise<T | null> {
    try {
      return await this.line.request<T>(subject, question, ANSWER_TIMEOUT_MS);
    } catch (error) {
      if (error instanceof NoAnswer) return null;
      if (!(error instanceof RemoteError)) throw error;
      this.logger.warn(`${subject}: ${error.message}`);
      return null;
    }
  }
}
