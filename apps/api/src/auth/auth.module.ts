import { systemClock } from '@proctor/clock';
import { ApiKeys } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { DispatcherClient } from '../dispatchers/dispatcher-client';
import { Room } from '../room';
import { GuessLimit } from './guess-limit';
import { HELD_READERS } from './held-readers';
import { KeyCheck } from './key-check';
import { PasswordCheck } from './password-check';
import { RememberedKeys } from './remembered-keys';
import { AuthController } from './requestor';

/** Which key or password a request has, and what it opens. */
@Room({
  controllers: [AuthController],
  providers: [
    {
      provide: RememberedKeys,
      inject: [ApiKeys, CONFIGURATION, DispatcherClient],
      useFactory: (keys: ApiKeys, configuration: ApiConfiguration, dispatchers: DispatcherClient) =>
        new RememberedKeys(keys, configuration, dispatchers, systemClock),
    },
    KeyCheck,
    HELD_READERS,
    PasswordCheck,
    GuessLimit,
  ],
})
export class AuthModule {}
