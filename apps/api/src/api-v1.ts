import type { DynamicModule, Provider } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { Results } from '@proctor/database';
import { AuthController } from './auth/auth.controller';
import { GuessLimit } from './auth/guess-limit';
import { KeyCheck } from './auth/key-check';
import { PasswordCheck } from './auth/password-check';
import { CancellationController } from './runs/cancellation.controller';
import { CancellationService } from './runs/cancellation.service';
import { AdminController } from './admin/admin.controller';
import { AdminService } from './admin/admin.service';
import { ManyRunsController } from './runs/many-runs.controller';
import { ManyRunsService } from './runs/many-runs.service';
import { DispatcherLine } from './dispatchers/dispatcher-client';
import { OrderSignal } from './dispatchers/order-signal';
import { KeysController } from './keys/keys.controller';
import { KeysService } from './keys/keys.service';
import { AnonymousRateLimit, KnownRateLimit } from './http/rate-limit';
import { StrangerPlaces } from './http/anonymous-places';
import { DocumentController } from './pages/api-doc.controller';
import { PackageInfoController } from './queues/package-info.controller';
import { PublicationController } from './runs/publication.controller';
import { PublicationService } from './runs/publication.service';
import { QueuesController } from './queues/queues.controller';
import { QueuesService } from './queues/queues.service';
import { RejectListController } from './queues/reject-list.controller';
import { News } from './runs/result-long-poll';
import { ResultsController } from './runs/results.controller';
import { ResultsService } from './runs/results.service';
import { RetryController } from './runs/retry.controller';
import { RetryService } from './runs/retry.service';
import { SubmissionController } from './runs/submission.controller';
import { SubmissionService } from './runs/submission.service';
import { BodyRoom } from './http/body-memory-limit';
import { WorkersController } from './queues/workers.controller';
import { WorkersService } from './queues/workers.service';

/** What answers under /api, and what only that needs. Fixed paths come before those with a parameter in their place. */
export const API_V1: { controllers: NonNullable<DynamicModule['controllers']>; providers: Provider[] } = {
  controllers: [
    AuthController,
    RejectListController,
    QueuesController,
    WorkersController,
    PackageInfoController,
    KeysController,
    RetryController,
    PublicationController,
    ManyRunsController,
    AdminController,
    ResultsController,
    CancellationController,
    SubmissionController,
    DocumentController,
  ],
  providers: [
    KeyCheck,
    PasswordCheck,
    GuessLimit,
    KnownRateLimit,
    AnonymousRateLimit,
    StrangerPlaces,
    BodyRoom,
    SubmissionService,
    RetryService,
    CancellationService,
    PublicationService,
    ManyRunsService,
    AdminService,
    OrderSignal,
    QueuesService,
    WorkersService,
    KeysService,
    ResultsService,
    {
      provide: News,
      inject: [Results, DispatcherLine],
      useFactory: (results: Results, line: DispatcherLine) => new News(results, systemClock, line),
    },
  ],
};
