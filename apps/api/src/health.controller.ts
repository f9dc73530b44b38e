import {
  Controller,
  Get,
  Header,
  Headers,
  Inject,
  Injectable,
  Logger,
  UseInterceptors,
} from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { ConfigurationStatus } from '@proctor/config';
import { ApiKeys, DatabaseUnavailable } from '@proctor/database';
import type { Response } from 'express';
import { tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Requires } from './auth/authentication.middleware';
import { CONFIGURATION_STATUS } from './configuration.token';
import { DispatcherClient } from './dispatchers/dispatcher-client';

/** What the process reaches. */
export interface Health {
  database: boolean;
  bus: boolean;
  configuration?: ConfigurationStatus;
}

/** Makes the answer of a process that does not reach everything a 503. */
@Injectable()
export class HealthStatusInterceptor implements NestInterceptor<Health> {
  intercept(context: ExecutionContext, next: CallHandler<Health>): Observable<Health> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(tap(({ database, bus }) => response.status(database && bus ? 200 : 503)));
  }
}

/** For monitoring: does the process reach what it needs? */
@Controller('health')
@Requires('nothing')
export class HealthController {
  private readonly logger = new Logger('Health');

  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly dispatchers: DispatcherClient,
    @Inject(CONFIGURATION_STATUS) private readonly configurationStatus: () => ConfigurationStatus,
  ) {}

  /** Administrators also see which configuration is in use, and what is wrong with the one that is not. */
  @Get()
  @Header('Cache-Control', 'no-store')
  @UseInterceptors(HealthStatusInterceptor)
  async check(@Headers('auth-key') key = ''): Promise<Health> {
    const { reached, isAdmin } = await this.lookUp(key);
    const health = { database: reached, bus: this.dispatchers.isConnected() };
    return isAdmin ? { ...health, configuration: this.configurationStatus() } : health;
  }

  /** The database is reached when it can say whose key this is, or that there is no such key. */
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
