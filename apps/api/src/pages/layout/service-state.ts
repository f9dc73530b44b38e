import { Inject, Injectable, Logger } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { besideRequests, DatabaseUnavailable, PublicRuns, WorkerRegister } from '@proctor/database';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { ExplanationService } from '../../dispatchers/explanation.service';
import { noticeHtml } from './notices';
import type { Html } from './html';
import { type ServiceTrouble, troubles } from './troubles';

/** A page waits for nothing that is no older; with less in `api.publicAgeMaxMs` it is that. */
const AGE_MAX_MS = 5_000;

/** What the head of each page tells beside its links. */
export interface Frame {
  notices: Html[];
  troubles: ServiceTrouble[];
}

/** How the service is, made for all pages together: beside the pages, which show what was known last. */
@Injectable()
export class ServiceState {
  private readonly logger = new Logger('ServiceState');
  private known: { troubles: ServiceTrouble[]; atMs: number } | null = null;
  private looking: Promise<ServiceTrouble[]> | null = null;

  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly register: WorkerRegister,
    private readonly explanation: ExplanationService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @param isKnown whether the reader has logged in, or sent a key */
  async frame(isKnown: boolean): Promise<Frame> {
    const { notices, anonymousMayRead } = this.configuration.server;
    const troubles = isKnown || anonymousMayRead ? await this.troubles() : [];
    return { notices: notices.map(noticeHtml), troubles };
  }

  /** Those where public runs wait. */
  troubles(): Promise<ServiceTrouble[]> {
    const ageMaxMs = Math.min(AGE_MAX_MS, this.configuration.server.publicAgeMaxMs);
    const { known } = this;
    if (known && systemClock.now() - known.atMs < ageMaxMs) return Promise.resolve(known.troubles);
    this.looking ??= besideRequests(() => this.look()).finally(() => (this.looking = null));
    return known && ageMaxMs > 0 ? Promise.resolve(known.troubles) : this.looking;
  }

  /** Never rejects: a page that needs no database is shown without it. */
  private async look(): Promise<ServiceTrouble[]> {
    const atMs = systemClock.now();
    try {
      this.known = { troubles: await this.find(), atMs };
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable))
        this.logger.error(`the state of the service: ${String(error)}`);
      const what = 'the state of the service is not known';
      this.known = { troubles: [{ kind: 'no answer', what, since: null }], atMs };
    }
    return this.known.troubles;
  }

  private async find(): Promise<ServiceTrouble[]> {
    const { architectures } = this.configuration.server;
    const [queues, pauses, statuses] = await Promise.all([
      this.publicRuns.queues(),
      this.publicRuns.pauses(),
      this.explanation.statuses(architectures),
    ]);
    const isEmpty = [...statuses.values()].some((status) => status?.workers.length === 0);
    const registered = isEmpty ? await this.register.valid() : [];
    return troubles({ queues, pauses, statuses, registered });
  }
}
