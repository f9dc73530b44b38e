import { Controller, Get, Inject } from '@nestjs/common';
import { QueuesAndWorkers } from '@proctor/administration';
import type { ConfigurationStatus } from '@proctor/config';
import { Backups } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION_STATUS } from '../../configuration.token';
import { WorkersService } from '../../workers/workers.service';
import type { Page } from '../layout/page';
import { ServiceState } from '../layout/service-state';
import { AdminPages } from './admin-pages';
import { attentionOf, attentionSentence } from './attention';

/** The page shows a restore of the database for this time. */
const RESTORE_SHOWN_MS = 30 * 86_400_000;

/** The first page of administrators: problems that need their attention. */
@Controller('admin')
@Requires('nothing')
@AdminPages()
export class OverviewController {
  constructor(
    private readonly queuesAndWorkers: QueuesAndWorkers,
    private readonly workers: WorkersService,
    private readonly state: ServiceState,
    private readonly backups: Backups,
    @Inject(CONFIGURATION_STATUS) private readonly configurationStatus: () => ConfigurationStatus,
  ) {}

  @Get()
  async page(): Promise<Page> {
    const [decisions, workers, troubles, restore] = await Promise.all([
      this.queuesAndWorkers.list(),
      this.workers.list(true),
      this.state.troubles(),
      this.backups.lastRestore(),
    ]);
    const isRecent = restore !== null && Date.now() - restore.restoredAt.getTime() < RESTORE_SHOWN_MS;
    const configuration = this.configurationStatus();
    const causes = attentionOf({
      configuration,
      troubles,
      workers,
      ...decisions,
      restored: isRecent ? restore : null,
    });
    return { template: 'admin/overview', data: { found: causes, sentence: attentionSentence(causes) } };
  }
}
