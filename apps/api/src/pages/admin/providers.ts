import type { Provider, Type } from '@nestjs/common';
import { AuditDataController, AuditPageController } from './audit.controller';
import { KeysPageController } from './keys.controller';
import { OverviewController } from './overview.controller';
import { QueuesPageController } from './queues.controller';
import { ConfigurationPageController, PackageSettingsPageController } from './settings.controller';
import { UsersPageController } from './users.controller';
import { WorkersPageController } from './workers.controller';
import { WorkersPageService } from './workers-page.service';

/** The pages for administrators. */
export const ADMIN_PAGE_CONTROLLERS: Type[] = [
  OverviewController,
  UsersPageController,
  KeysPageController,
  WorkersPageController,
  QueuesPageController,
  PackageSettingsPageController,
  ConfigurationPageController,
  AuditPageController,
  AuditDataController,
];

export const ADMIN_PAGE_PROVIDERS: Provider[] = [WorkersPageService];
