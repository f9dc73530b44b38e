import { Inject, Injectable } from '@nestjs/common';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { ExplanationService } from '../dispatchers/explanation.service';
import { workerObject } from './worker-object';
import type { WorkerObject } from './worker-object';

export interface WorkersAnswer {
  /** By architecture and name; a worker that serves several architectures is there for each. */
  workers: WorkerObject[];
  /** Architectures whose dispatcher does not answer, or not to the end: (all) their workers are not known now. */
  silent_architectures: string[];
}

@Injectable()
export class WorkersService {
  constructor(
    private readonly explanation: ExplanationService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @param everything for an administrator: private runs count */
  async list(everything: boolean): Promise<WorkersAnswer> {
    const architectures = [...this.configuration.server.architectures].sort();
    const statuses = await this.explanation.statuses(architectures, everything);
    return {
      workers: [...statuses].flatMap(([arch, status]) => {
        const workers = (status?.workers ?? []).map((worker) => workerObject(arch, worker));
        return workers.sort((a, b) => (a.name < b.name ? -1 : 1));
      }),
      silent_architectures: [...statuses].flatMap(([arch, status]) => (status && !status.more ? [] : [arch])),
    };
  }
}
