import { Controller, Get, Inject, Injectable } from '@nestjs/common';
import { QueuesAndWorkers } from '@proctor/administration';
import type { ConfigurationStatus } from '@proctor/config';
import { Backups, MailAddresses, type MailTrouble, type RestoreRecord } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION_STATUS } from '../../configuration.token';
import { WorkersService } from '../../workers/workers.service';
import type { Page } from '../layout/page';
import { ServiceState } from '../layout/service-state';
import { AdminPages } from './admin-pages';
import { attentionOf, attentionSentence } from './attention';

/** The page shows a restore of the database for this time. */
const RESTORE_SHOWN_MS = 30 * 86_400_000;

/** What the database has recorded of the service itself. */
@Injectable()
export class ServiceRecords {
  constructor(
    private readonly backups: Backups,
    private readonly mailAddresses: MailAddresses,
  ) {}

  /** The last restore of the database, if it is recent; the mails that could not be sent. */
  async find(): Promise<{ restored: RestoreRecord | null; mail: MailTrouble | null }> {
    const [restore, mail] = await Promise.all([this.backups.lastRestore(), this.mailAddresses.trouble()]);
    const isRecent = restore !== null && Date.now() - restore.restoredAt.getTime() < RESTORE_SHOWN_MS;
    return { restored: isRecent ? restore : null, mail };
  }
}

/** The first page of administrators: problems that need their attention. */
@Controller('admin')
@Requires('nothing')
@AdminPages()
export class OverviewController {
  constructor(
    private readonly queuesAndWorkers: QueuesAndWorkers,
    private readonly workers: WorkersService,
    private readonly state: ServiceState,
    private readonly records: ServiceRecords,
    @Inject(CONFIGURATION_STATUS) private readonly configurationStatus: () => ConfigurationStatus,
  ) {}

  @Get()
  async page(): Promise<Page> {
    const [decisions, workers, troubles, records] = await Promise.all([
      this.queuesAndWorkers.list(),
      this.workers.list(true),
      this.state.troubles(),
      this.records.find(),
    ]);
    const configuration = this.configurationStatus();
    const causes = attentionOf({
      configuration,
      troubles,
      workers,
      ...decisions,
      ...records,
    });
    return { template: 'admin/overview', data: { found: causes, sentence: attentionSentence(causes) } };
  }
}
