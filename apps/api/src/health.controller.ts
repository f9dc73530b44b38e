import { Controller, Get, Header, Headers, Inject, Injectable, UseInterceptors } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { ConfigurationStatus } from '@proctor/config';
import { Backups, type RestoreRecord } from '@proctor/database';
import type { Response } from 'express';
import { tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Requires } from './auth/authentication.middleware';
import { CONFIGURATION_STATUS } from './configuration.token';
import { ApiHealth, type Health } from './monitoring/api-health';

/** The last two are for administrators. */
type HealthAnswer = Health & { configuration?: ConfigurationStatus; restored?: RestoreRecord };

/** Makes the answer of a process that does not reach everything a 503. */
@Injectable()
export class HealthStatusInterceptor implements NestInterceptor<Health> {
  intercept(context: ExecutionContext, next: CallHandler<Health>): Observable<Health> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(tap(({ ready }) => response.status(ready ? 200 : 503)));
  }
}

/** Answers for monitoring. */
@Controller('health')
@Requires('nothing')
export class HealthController {
  constructor(
    private readonly apiHealth: ApiHealth,
    @Inject(CONFIGURATION_STATUS) private readonly configurationStatus: () => ConfigurationStatus,
    @Inject(Backups) private readonly backups: Pick<Backups, 'lastRestore'>,
  ) {}

  /**
   * Does the process reach what it needs? Administrators also see which configuration is in use, what is wrong with the one that is not, and
   * what a restore of the database has lost.
   */
  @Get()
  @Header('Cache-Control', 'no-store')
  @UseInterceptors(HealthStatusInterceptor)
  async check(@Headers('auth-key') key = ''): Promise<HealthAnswer> {
    const { health, isAdmin } = await this.apiHealth.of(key);
    if (!isAdmin) return health;
    const restored = await this.backups.lastRestore();
    return { ...health, configuration: this.configurationStatus(), ...(restored && { restored }) };
  }

  /** Does the process answer at all? One that does not is to be started again. */
  @Get('live')
  @Header('Cache-Control', 'no-store')
  live(): { live: true } {
    return { live: true };
  }
}
