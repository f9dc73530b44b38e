import { Inject, Injectable, Logger } from '@nestjs/common';
import { NoAnswer, RemoteError } from '@proctor/bus';
import { systemClock } from '@proctor/clock';
import { subjectOf, SUBJECTS } from '@proctor/contracts';
import type { ExplainReply, ExplainRequest, StatusReply } from '@proctor/contracts';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { SharedAnswers } from '../http/shared-answers';
import { DispatcherClient } from './dispatcher-client';
import { wholeStatus } from './whole-status';

const ANSWER_TIMEOUT_MS = 500;
/** Each architecture has one status for the public and one for administrators. */
const STATUSES_MAX = 200;
const STATUS_AGE_MAX_MS = 1_000;

/** What a dispatcher knows about a waiting run; unknown numbers are null. */
export interface Explanation {
  /** Place among the runs that wait for the same slots; 1 goes next. */
  position: number | null;
  /** Waiting runs that will probably start before it. */
  ahead: number | null;
  estimatedStart: Date | null;
  /** Sentences for people, the most important first. */
  reasons: string[];
}

/** The reader of an explanation. Which private runs it names depends on the reader: see ExplainRequest. */
export type ExplanationViewer = Pick<ExplainRequest, 'user' | 'everything'>;

/** During an upgrade, a scheduler of an earlier version sends only the reasons. */
type WithReasons = Partial<ExplainReply> & Pick<ExplainReply, 'reasons'>;

/** The answers of the dispatchers about waiting runs. If one does not answer, pages show the data of the database. */
@Injectable()
export class ExplanationService {
  private readonly logger = new Logger('Explanation');
  private readonly answers: SharedAnswers<{ reply: StatusReply | null }>;

  constructor(
    private readonly dispatchers: DispatcherClient,
    @Inject(CONFIGURATION) configuration: ApiConfiguration,
  ) {
    this.answers = new SharedAnswers(systemClock, {
      sizeMax: STATUSES_MAX,
      ageMaxMs: () => Math.min(STATUS_AGE_MAX_MS, configuration.server.publicAgeMaxMs),
    });
  }

  /** Why a run waits, and for how long. Without a viewer, the answer is for the public. */
  async of(run: { runId: number; arch: string }, viewer: ExplanationViewer = {}): Promise<Explanation> {
    const subject = subjectOf(SUBJECTS.explain, run.arch);
    const reply = await this.requestAnswer<WithReasons>(subject, { runId: run.runId, ...viewer });
    if (!reply) return { position: null, ahead: null, estimatedStart: null, reasons: [silence(run.arch)] };
    const { position = null, ahead = null, startsInMs = null, reasons } = reply;
    return {
      position,
      ahead,
      estimatedStart: startsInMs === null ? null : secondFromNow(startsInMs),
      reasons,
    };
  }

  /**
   * Workers and queues of each architecture, as its dispatcher knows them.
   * @param everything whether private runs count; for administrators
   * @returns null for an architecture without an answer; a status with `more` is not complete
   */
  async statuses(architectures: string[], everything = false): Promise<Map<string, StatusReply | null>> {
    const findStatus = async (arch: string) => {
      const subject = subjectOf(SUBJECTS.status, arch);
      const { reply } = await this.answers.find(`${arch} ${everything}`, async () => ({
        reply: await wholeStatus(
          (request) =>
            this.requestAnswer<StatusReply>(subject, { ...request, ...(everything && { everything }) }),
          systemClock,
        ),
      }));
      return [arch, reply] as const;
    };
    return new Map(await Promise.all(architectures.map(findStatus)));
  }

  private async requestAnswer<T>(subject: string, question: object): Promise<T | null> {
    try {
      return await this.dispatchers.request<T>(subject, question, ANSWER_TIMEOUT_MS);
    } catch (error) {
      if (error instanceof NoAnswer) return null;
      if (!(error instanceof RemoteError)) throw error;
      this.logger.warn(`${subject}: ${error.message}`);
      return null;
    }
  }
}

/** Why an architecture is idle if its dispatcher does not answer. */
export function silence(arch: string): string {
  return `no scheduler answers for ${arch}`;
}

/** Expected times are not more exact than a second. */
export function secondFromNow(ms: number): Date {
  return new Date(Math.ceil((Date.now() + ms) / 1_000) * 1_000);
}
