import { Room } from '../http/room';
import { KeysController } from './keys.controller';
import { KeysService } from './keys.service';

/** Users' own API keys. */
@Room({ controllers: [KeysController], providers: [KeysService] })
export class KeysModule {}
