import { Inject, Injectable, Logger } from '@nestjs/common';
import { DatabaseUnavailable, Superseding } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { OrderSignal } from '../dispatchers/order-signal';
import { ResultLongPoll } from './result-long-poll';

interface NewRun {
  run_id: number;
  suite: string;
  arch: string;
}

/** Ends runs that new ones supersede, in suites whose configuration says so. */
@Injectable()
export class SupersedingService {
  private readonly logger = new Logger('Superseding');

  constructor(
    private readonly superseding: Superseding,
    private readonly signal: OrderSignal,
    private readonly longPoll: ResultLongPoll,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** Follows the commit of the new runs. If the database fails here, the older runs are executed, as without the rule. */
  async endOlder(newRuns: NewRun[]): Promise<void> {
    const rules = this.configuration.server.supersede;
    const suites = new Set(rules.map(({ suite }) => suite));
    const runs = newRuns.filter(({ suite }) => suites.has(suite));
    if (runs.length === 0) return;
    const runIds = runs.map((run) => run.run_id);
    try {
      if ((await this.superseding.apply(runIds, rules)) === 0) return;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.logger.warn(
        `runs that ${runIds.length} new runs supersede stay in their queues: ${error.message}`,
      );
    }
    for (const arch of new Set(runs.map(({ arch }) => arch))) this.signal.send(arch);
    this.longPoll.notify();
  }
}
