import { Room } from '../../http/room';
import { NoteLists } from './note-lists.service';
import { NotesController } from './note-pages.controller';

@Room({ controllers: [NotesController], providers: [NoteLists] })
export class NotePagesModule {}
