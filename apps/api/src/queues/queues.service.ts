import type { QueueResource } from '@proctor/resources';
import { Inject, Injectable } from '@nestjs/common';
import { Decisions, PublicRuns } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { ExplanationService } from '../dispatchers/explanation.service';
import { queueObjects } from './queue-object';

@Injectable()
export class QueuesService {
  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly decisions: Decisions,
    private readonly explanation: ExplanationService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @param everything whether private runs count; for administrators */
  async list(everything: boolean): Promise<QueueResource[]> {
    const { server } = this.configuration;
    const [lengths, rates, pauses, statuses] = await Promise.all([
      this.publicRuns.queues(everything),
      this.publicRuns.rates(everything),
      this.decisions.pauses(),
      this.explanation.statuses(server.architectures, everything),
    ]);
    return queueObjects(server, { lengths, rates, pauses, statuses });
  }
}
