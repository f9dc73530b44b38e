import { Room } from '../http/room';
import { NotesApiController } from './notes.controller';
import { NotesService } from './notes.service';

/** What users write about failures. */
@Room({ controllers: [NotesApiController], providers: [NotesService] })
export class NotesModule {}
