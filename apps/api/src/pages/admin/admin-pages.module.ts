import { Room } from '../../http/room';
import { AdminAuditDataController, AdminAuditController } from './admin-audit.controller';
import { AdminKeysController } from './admin-keys.controller';
import { OverviewController, ServiceRecords } from './overview.controller';
import { AdminQueuesController } from './admin-queues.controller';
import { ConfigurationPageController, PackageSettingsPageController } from './admin-settings.controller';
import { AdminUsersController } from './admin-users.controller';
import { AdminWorkersController } from './admin-workers.controller';

/** The pages for administrators. */
@Room({
  controllers: [
    OverviewController,
    AdminUsersController,
    AdminKeysController,
    AdminWorkersController,
    AdminQueuesController,
    PackageSettingsPageController,
    ConfigurationPageController,
    AdminAuditController,
    AdminAuditDataController,
  ],
  providers: [ServiceRecords],
})
export class AdminPagesModule {}
