import { Room } from '../../http/room';
import { BrowserSessions } from '../../sessions/browser-sessions';
import { LoginProviders } from '../../sessions/login-providers';
import { FollowedApiController } from './followed-api.controller';
import {
  FollowButtonsController,
  FollowedController,
  FollowedDataController,
  FollowedFeedController,
} from './followed.controller';
import { FollowedService } from './followed.service';
import { FollowsService } from './follows.service';
import { MailLinksController } from './mail.controller';
import { MailService } from './mail.service';
import { AccountHomeController } from './home.controller';
import { JobActionsService, RunChanges } from './job-actions.service';
import { JobsController, JobsDataController } from './jobs.controller';
import { JobsService } from './jobs.service';
import { AccountKeysController } from './account-keys.controller';
import { LoginController, RequestWayController } from './login.controller';
import { LoginService } from './login.service';
import { ProviderLoginController } from './provider-login.controller';
import { ProviderLoginService } from './provider-login.service';
import { ProviderUsers } from './provider-users';
import { RequestController, RequestExportController } from './request.controller';
import { RequestPageService } from './request.service';
import { AccountWebhooksController } from './account-webhooks.controller';
import { AccountRetryController, RetryPage, RetryPageController } from './retry.controller';

/** The pages of users who log in. */
@Room({
  controllers: [
    RetryPageController,
    LoginController,
    RequestWayController,
    ProviderLoginController,
    AccountHomeController,
    AccountKeysController,
    AccountWebhooksController,
    FollowedApiController,
    FollowedFeedController,
    FollowedDataController,
    FollowedController,
    FollowButtonsController,
    MailLinksController,
    JobsDataController,
    JobsController,
    AccountRetryController,
    RequestExportController,
    RequestController,
  ],
  providers: [
    BrowserSessions,
    LoginService,
    LoginProviders,
    ProviderLoginService,
    ProviderUsers,
    FollowedService,
    FollowsService,
    MailService,
    JobsService,
    RunChanges,
    JobActionsService,
    RetryPage,
    RequestPageService,
  ],
})
export class AccountPagesModule {}
