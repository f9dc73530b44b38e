import { Room } from '../http/room';
import { NotesApiController } from './notes.controller';
import { NotesService } from './notes.service';

/** Notes of users about failures. */
@Room({ controllers: [NotesApiController], providers: [NotesService] })
export class NotesModule {}
