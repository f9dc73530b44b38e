import { Controller, Get, Inject, Param, UseGuards, UseInterceptors } from '@nestjs/common';
import type { Actor, Requestor } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Sent } from '../../http/body.interceptor';
import { NewNoteRequest, NoteRequest } from '../../notes/notes.dto';
import { NotesService } from '../../notes/notes.service';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { CurrentActor, LoginGuard, SessionRequestor } from '../account/account-pages';
import { Form, SentForm } from '../layout/form-action';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import { viewOfNote, pathOfNote } from './note-view';
import { NOTE_IN_PATH } from '../../http/path-ids';

/** The pages of the notes that users write about failures. */
@Controller('notes')
@Requires('nothing')
@UseGuards(LoginGuard)
@UseInterceptors(PageInterceptor)
export class NotesController {
  constructor(
    private readonly notes: NotesService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Form('')
  async add(
    @SentForm() form: NewNoteRequest,
    @SessionRequestor() requestor: Requestor,
    @CurrentActor() { address }: Actor,
  ): Promise<Redirect> {
    return { redirectTo: pathOfNote(await this.notes.add(form, requestor, address)) };
  }

  @Get(':note_id')
  async page(
    @Param('note_id', NOTE_IN_PATH) noteId: number,
    @CurrentViewer() viewer: Viewer,
    @SessionRequestor() requestor: Requestor,
  ): Promise<Page> {
    const note = await this.notes.one(noteId, requestor);
    const { bugUrl, noteLengthMax: lengthMax } = this.configuration.server;
    const data = { note: viewOfNote(note, viewer, bugUrl), bugs: note.bugs.join(' '), lengthMax };
    return { template: 'notes/note', data: { ...data, backUrl: pathOfNote(note) } };
  }

  @Form(':note_id')
  async change(
    @Param('note_id', NOTE_IN_PATH) noteId: number,
    @Sent() { text, bugs = [] }: NoteRequest,
    @SessionRequestor() requestor: Requestor,
    @CurrentActor() { address }: Actor,
  ): Promise<Redirect> {
    return { redirectTo: pathOfNote(await this.notes.change(noteId, { text, bugs }, requestor, address)) };
  }

  @Form(':note_id/remove')
  async remove(
    @Param('note_id', NOTE_IN_PATH) noteId: number,
    @SessionRequestor() requestor: Requestor,
    @CurrentActor() { address }: Actor,
  ): Promise<Redirect> {
    return { redirectTo: pathOfNote(await this.notes.remove(noteId, requestor, address)) };
  }
}
