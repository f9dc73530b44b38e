import { Inject, Injectable } from '@nestjs/common';
import { QueuesAndWorkers } from '@proctor/administration';
import { HourFigures, PublicRuns } from '@proctor/database';
import type { QueueResource } from '@proctor/resources';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { QueuesService } from '../../queues/queues.service';
import type { Page } from '../layout/page';
import { pauseSentence } from './decision-view';
import { firstHour, HOUR_SPAN, type HoursQuery, hoursFilter, queueHoursView } from './hours-view';
import { growthOf } from './queue-growth';
import { queuesView } from './queues-view';

const ALL: HoursQuery = { suite: null, arch: null, days: HOUR_SPAN };

/** The page of the queues. For administrators it counts private runs, and has the forms of their decisions. */
@Injectable()
export class QueuesPage {
  constructor(
    private readonly queues: QueuesService,
    private readonly queuesAndWorkers: QueuesAndWorkers,
    private readonly publicRuns: PublicRuns,
    private readonly figures: HourFigures,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  async queuesPage(isAdmin: boolean, query: HoursQuery = ALL): Promise<Page> {
    const now = new Date();
    const first = firstHour(now, query.days);
    const [queues, hours, share, admin] = await Promise.all([
      this.queues.list(isAdmin),
      this.figures.listHours(first, query),
      this.publicRuns.waitingShare(query),
      isAdmin ? this.pauses() : Promise.resolve(null),
    ]);
    const { suites, architectures } = this.configuration.server;
    return {
      template: 'machines/queues',
      data: {
        ...queuesView(
          queues.filter((queue) => isAskedFor(queue, query)),
          admin?.pauses,
        ),
        ...hoursFilter(query),
        byHour: queueHoursView(hours, first, now),
        growth: growthOf({ hours, share, isWhole: query.suite === null, now }),
        suites,
        architectures,
        admin,
      },
    };
  }

  private async pauses() {
    const { pauses } = await this.queuesAndWorkers.list();
    const { suites, architectures } = this.configuration.server;
    return {
      pauses: pauses.map((pause) => ({ ...pause, sentence: pauseSentence(pause) })),
      suites,
      architectures,
    };
  }
}

function isAskedFor(queue: QueueResource, { suite, arch }: HoursQuery): boolean {
  return (suite === null || queue.suite === suite) && (arch === null || queue.arch === arch);
}
