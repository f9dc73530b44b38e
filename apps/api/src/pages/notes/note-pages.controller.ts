import { Controller, Get, Inject, Param, UseGuards, UseInterceptors } from '@nestjs/common';
import type { Actor, Requestor } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Sent } from '../../http/body.interceptor';
import type { ContextRequest } from '../../http/request-context';
import { NewNoteRequest, NoteRequest } from '../../notes/notes.dto';
import { NotesService } from '../../notes/notes.service';
import { BrowserSessions } from '../../sessions/browser-sessions';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { CurrentActor, LoginGuard, requireLogin, SessionRequestor } from '../account/account-pages';
import { Form, SentForm } from '../layout/form-action';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import { viewOfNote, pathOfNote } from './note-view';
import { NOTE_IN_PATH } from '../../http/path-ids';

/** The hidden fields of the form for a new note. */
const PLACE_FIELDS = ['run_id', 'package', 'suite', 'arch'];

/** The pages of the notes that users write about failures. */
@Controller('notes')
@Requires('nothing')
@UseGuards(LoginGuard)
@UseInterceptors(PageInterceptor)
export class NotesController {
  constructor(
    private readonly notes: NotesService,
    private readonly sessions: BrowserSessions,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Form('', {
    page: (pages: NotesController, request) => pages.formPage(request),
    refusal: 'The note was not added.',
  })
  async add(
    @SentForm() form: NewNoteRequest,
    @SessionRequestor() requestor: Requestor,
    @CurrentActor() { address }: Actor,
  ): Promise<Redirect> {
    const note = await this.notes.add(form, requestor, address);
    return { redirectTo: pathOfNote(note), notice: 'The note was added.' };
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

  @Form(':note_id', {
    page: async (pages: NotesController, request) =>
      pages.page(
        NOTE_IN_PATH.transform(String(request.params['note_id'])),
        request.viewer!,
        await pages.sessions.requestorOf(requireLogin(request)),
      ),
  })
  async change(
    @Param('note_id', NOTE_IN_PATH) noteId: number,
    @Sent() { text, bugs = [] }: NoteRequest,
    @SessionRequestor() requestor: Requestor,
    @CurrentActor() { address }: Actor,
  ): Promise<Redirect> {
    const note = await this.notes.change(noteId, { text, bugs }, requestor, address);
    return { redirectTo: pathOfNote(note), notice: 'The note was changed.' };
  }

  @Form(':note_id/remove')
  async remove(
    @Param('note_id', NOTE_IN_PATH) noteId: number,
    @SessionRequestor() requestor: Requestor,
    @CurrentActor() { address }: Actor,
  ): Promise<Redirect> {
    const note = await this.notes.remove(noteId, requestor, address);
    return { redirectTo: pathOfNote(note), notice: 'The note was removed.' };
  }

  /** The form of a note that was not added, on a page of its own. */
  private formPage({ parameters }: ContextRequest): Page {
    const fields = PLACE_FIELDS.flatMap((name) => {
      const value = parameters?.get(name)?.value;
      return typeof value === 'string' ? [{ name, value }] : [];
    });
    const { noteLengthMax: lengthMax } = this.configuration.server;
    const isOnRun = fields.some(({ name }) => name === 'run_id');
    return { template: 'notes/new', data: { notes: { fields, isOnRun, lengthMax } } };
  }
}
