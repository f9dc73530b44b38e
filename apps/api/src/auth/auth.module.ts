import { Room } from '../http/room';
import { GuessLimit } from './guess-limit';
import { HELD_READERS } from './held-readers';
import { KeyCheck } from './key-check';
import { PasswordCheck } from './password-check';
import { AuthController } from './requestor';

/** Which key or password a request has, and what it opens. */
@Room({ controllers: [AuthController], providers: [KeyCheck, HELD_READERS, PasswordCheck, GuessLimit] })
export class AuthModule {}
