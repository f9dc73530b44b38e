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

/** The last two fields are for administrators. */
type HealthAnswer = Health & { configuration?: ConfigurationStatus; restored?: RestoreRecord };

/** Answers with 503 if the process does not reach all services. */
@Injectable()
export class HealthStatusInterceptor implements NestInterceptor<Health> {
  intercept(context: ExecutionContext, next: CallHandler<Health>): Observable<Health> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(tap(({ ready }) => response.status(ready ? 200 : 503)));
  }
}

/** Answers of monitoring. */
@Controller('health')
@Requires('nothing')
export class HealthController {
  constructor(
    private readonly apiHealth: ApiHealth,
    @Inject(CONFIGURATION_STATUS) private readonly configurationStatus: () => ConfigurationStatus,
    @Inject(Backups) private readonly backups: Pick<Backups, 'lastRestore'>,
  ) {}

  /**
   * Whether the process reaches all services that it needs. Administrators also see the configuration in use, errors
   * of a refused one, and the losses of a restore.
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

  /** Whether the process answers at all. A monitor restarts a process that does not. */
  @Get('live')
  @Header('Cache-Control', 'no-store')
  live(): { live: true } {
    return { live: true };
  }
}
