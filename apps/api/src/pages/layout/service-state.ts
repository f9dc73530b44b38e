import { Inject, Injectable, Logger } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { besideRequests, DatabaseUnavailable, PublicRuns, WorkerRegister } from '@proctor/database';
import { Cached } from '@proctor/monitoring';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { ExplanationService } from '../../dispatchers/explanation.service';
import { noticeHtml } from './notices';
import type { Html } from './html';
import { type ServiceTrouble, troubles } from './troubles';

/** A page waits for nothing that is no older; with less in `api.publicAgeMaxMs` it is that. */
const AGE_MAX_MS = 5_000;

/** What the head of each page shows beside its links. */
export interface Frame {
  notices: Html[];
  troubles: ServiceTrouble[];
}

/** How the service is, read for all pages together. A page shows the latest state without a wait. */
@Injectable()
export class ServiceState {
  private readonly logger = new Logger('ServiceState');
  private readonly state = new Cached(
    systemClock,
    () => Math.min(AGE_MAX_MS, this.configuration.server.publicAgeMaxMs),
    () => besideRequests(() => this.read()),
  );

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
    return this.state.loadStale();
  }

  /** Never rejects: a page that needs no database is shown without it. */
  private async read(): Promise<ServiceTrouble[]> {
    try {
      return await this.find();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable))
        this.logger.error(`the state of the service: ${String(error)}`);
      const what = 'the state of the service is not known';
      return [{ kind: 'no answer', what, since: null }];
    }
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
