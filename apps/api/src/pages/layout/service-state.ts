import { Inject, Injectable, Logger } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { asBackgroundWork, DatabaseUnavailable, PublicRuns, WorkerRegister } from '@proctor/database';
import { Cached } from '@proctor/monitoring';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { ExplanationService } from '../../dispatchers/explanation.service';
import { noticeHtml } from './notices';
import type { Html } from './html';
import { type ServiceTrouble, troubles } from './troubles';

/** Age at which the state is read again. A lower `api.publicAgeMaxMs` is used instead. */
const AGE_MAX_MS = 5_000;

/** The notices and troubles in the head of each page. */
interface Frame {
  notices: Html[];
  troubles: ServiceTrouble[];
}

/** The state of the service, shared by all pages. Pages show the last known state and do not wait for a new one. */
@Injectable()
export class ServiceState {
  private readonly logger = new Logger('ServiceState');
  private readonly state = new Cached(
    systemClock,
    () => Math.min(AGE_MAX_MS, this.configuration.server.publicAgeMaxMs),
    () => asBackgroundWork(() => this.read()),
  );

  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly register: WorkerRegister,
    private readonly explanation: ExplanationService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @param isKnown whether the reader has a login or an API key */
  async frame(isKnown: boolean): Promise<Frame> {
    const { notices, anonymousMayRead } = this.configuration.server;
    const troubles = isKnown || anonymousMayRead ? await this.troubles() : [];
    return { notices: notices.map(noticeHtml), troubles };
  }

  /** The current troubles of public runs. */
  troubles(): Promise<ServiceTrouble[]> {
    return this.state.loadStale();
  }

  /** Never rejects, so that pages which need no database also work without it. */
  private async read(): Promise<ServiceTrouble[]> {
    try {
      return await this.find();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable))
        this.logger.error(`the state of the service: ${String(error)}`);
      const what = 'the state of the service is unknown';
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
