import { Controller, Get, Logger, Res } from '@nestjs/common';

import { DatabaseUnavailable, Results } from '@proctor/database';
import type { Response } from 'express';
import { DispatcherLine } from '../dispatchers/dispatcher-line';

/** For whoever watches the process: does it reach what it needs? */
@Controller('health')
export class HealthController {
  private readonly logger = new Logger('Health');

  constructor(
    private readonly results: Results,
    private readonly line: DispatcherLine,
  ) {}

  @Get()
  async check(@Res() response: Response): Promise<void> {
    const health = { database: await this.reachesDatabase(), bus: this.line.isConnected() };
    response.status(health.database && health.bus ? 200 : 503);
    response.set('Cache-Control', 'no-store').json(health);
  }

  private async reachesDatabase(): Promise<boolean> {
    try {
      // Any statement tells; this one finds nothing by the primary key.
      await this.results.find(0);
      return true;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.logger.warn(error.message);
      return false;
    }
  }
}
