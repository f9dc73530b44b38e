import { Inject, Injectable } from '@nestjs/common';
import { PublicRuns } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { queueObjects } from './queue-object';
import type { QueueObject } from './queue-object';

@Injectable()
export class QueuesService {
  constructor(
    private readonly publicRuns: PublicRuns,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  async list(): Promise<QueueObject[]> {
    const [lengths, rates] = await Promise.all([this.publicRuns.queues(), this.publicRuns.rates()]);
    return queueObjects(this.configuration.server, lengths, rates);
  }
}
