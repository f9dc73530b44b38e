import { USE_CASES } from '@proctor/administration';
import { Room } from '../http/room';
import { AdminController } from './admin.controller';
import { AuditController } from './audit.controller';
import { AuditService } from './audit.service';
import { RegisterController } from './register.controller';
import { SettingsController } from './settings.controller';
import { SettingsService } from './settings.service';
import { UserLists } from './user-lists.service';
import { AllKeysController } from './all-keys.controller';
import { UsersController } from './users.controller';

/** Administration by the API. */
@Room({
  controllers: [
    AdminController,
    RegisterController,
    AuditController,
    SettingsController,
    UsersController,
    AllKeysController,
  ],
  providers: [...USE_CASES, AuditService, SettingsService, UserLists],
})
export class AdminModule {}
