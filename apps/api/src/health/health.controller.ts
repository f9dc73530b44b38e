import { Controller, Get, Inject, Logger, Req, Res } from '@nestjs/common';
import type { ConfigurationStatus } from '@proctor/config';
import { ApiKeys, DatabaseUnavailable } from '@proctor/database';
import type { Request, Response } from 'express';
import { CONFIGURATION_STATUS } from '../configuration.token';
import { DispatcherLine } from '../dispatchers/dispatcher-line';

/** For whoever watches the process: does it reach what it needs? */
@Controller('health')
export class HealthController {
  private readonly logger = new Logger('Health');

  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly line: DispatcherLine,
    @Inject(CONFIGURATION_STATUS) private readonly configurationStatus: () => ConfigurationStatus,
  ) {}

  /** Administrators are told besides which configuration is in use, and what is wrong with the one that is not. */
  @Get()
  async check(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { reached, isAdmin } = await this.lookUp(request.get('Auth-Key') ?? '');
    const health = { database: reached, bus: this.line.isConnected() };
    const configuration = isAdmin && { configuration: this.configurationStatus() };
    response.status(health.database && health.bus ? 200 : 503);
    response.set('Cache-Control', 'no-store').json({ ...health, ...configuration });
  }

  /** The database is reached when it can say whose key this is, or that it is nobody's. */
  private async lookUp(key: string): Promise<{ reached: boolean; isAdmin: boolean }> {
    try {
      const requestor = await this.apiKeys.authenticate(key);
      return { reached: true, isAdmin: requestor?.isAdmin ?? false };
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.logger.warn(error.message);
      return { reached: false, isAdmin: false };
    }
  }
}
