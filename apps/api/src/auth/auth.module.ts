import { Room } from '../http/room';
import { GuessLimit } from './guess-limit';
import { HELD_READERS } from './held-readers';
import { KeyCheck } from './key-check';
import { PasswordCheck } from './password-check';
import { AuthController } from './requestor';

/** Checks the keys and passwords of requests. */
@Room({ controllers: [AuthController], providers: [KeyCheck, HELD_READERS, PasswordCheck, GuessLimit] })
export class AuthModule {}
