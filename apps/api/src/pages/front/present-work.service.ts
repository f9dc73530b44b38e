import { Inject, Injectable } from '@nestjs/common';
import { HourFigures, PublicRuns } from '@proctor/database';
import { CONFIGURATION, type ApiConfiguration } from '../../configuration.token';
import { ExplanationService } from '../../dispatchers/explanation.service';
import { ServiceState } from '../layout/service-state';
import { obstacles } from './obstacles';
import { architectureView, lastHours, outcomesView } from './health-view';

/** What the service does now and did over the last hours, and what keeps it from more. */
@Injectable()
export class PresentWork {
  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly hourFigures: HourFigures,
    private readonly explanation: ExplanationService,
    private readonly state: ServiceState,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @param hasResults whether a public run has finished here */
  async view(hasResults: Promise<boolean>) {
    const { architectures } = this.configuration.server;
    const times = lastHours(new Date());
    const [queues, hours, pauses, statuses, troubles, isUsed] = await Promise.all([
      this.publicRuns.queues(),
      this.hourFigures.listHours(new Date(times[0]!), { suite: null, arch: null }),
      this.publicRuns.pauses(),
      this.explanation.statuses(architectures),
      this.state.troubles(),
      hasResults,
    ]);
    const isEmpty = queues.length === 0 && !isUsed;
    const all = [...new Set([...architectures, ...queues.map(({ arch }) => arch)])];
    return {
      isEmpty,
      waiting: queues.reduce((sum, queue) => sum + queue.waiting, 0),
      running: queues.reduce((sum, queue) => sum + queue.running, 0),
      obstacles: obstacles({ troubles, pauses, queues, architectures: all, statuses, isEmpty }),
      outcomes: outcomesView(hours, times),
      architectures: all.flatMap(
        (arch) =>
          architectureView(arch, { queues, hours, pauses, status: statuses.get(arch) ?? null }, times) ?? [],
      ),
    };
  }
}
