import {
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Req,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import type { Requestor } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { networkOf } from '../../http/network-of';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Sent } from '../../http/body.interceptor';
import type { Parameters } from '../../http/parameters';
import { shapeOf } from '../../http/parameters.pipe';
import type { ContextRequest } from '../../http/request-context';
import { NoteIdPipe } from '../../notes/notes.controller';
import { NewNoteRequest, NoteRequest } from '../../notes/notes.dto';
import { NotesService } from '../../notes/notes.service';
import { BrowserSessions } from '../../sessions/browser-sessions';
import { TakesForm } from '../../sessions/form-protection';
import { CurrentViewer, type Viewer } from '../../sessions/viewer';
import { LoginGuard, requireLogin } from '../account/account-pages';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import { noteView, pathOfNote } from './note-view';

/** The form of a new note, whose empty fields count as left out. */
class NoteFormPipe implements PipeTransform<Parameters, NewNoteRequest> {
  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  /** @throws Problem 400 */
  transform(sent: Parameters): NewNoteRequest {
    const filled = new Map([...sent].filter(([name, { value }]) => value !== '' || name === 'text'));
    return shapeOf(NewNoteRequest, filled, this.configuration.server);
  }
}

/** What users write about failures. */
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

  @Post()
  @HttpCode(200)
  @TakesForm()
  async add(@Sent(NoteFormPipe) asked: NewNoteRequest, @Req() request: ContextRequest): Promise<Redirect> {
    const note = await this.notes.add(asked, await this.requestor(request), networkOf(request.ip ?? ''));
    return { redirectTo: pathOfNote(note) };
  }

  @Get(':note_id')
  async page(
    @Param('note_id', NoteIdPipe) noteId: number,
    @CurrentViewer() viewer: Viewer,
    @Req() request: ContextRequest,
  ): Promise<Page> {
    const note = await this.notes.one(noteId, await this.requestor(request));
    const { bugUrl, noteLengthMax: lengthMax } = this.configuration.server;
    const data = { note: noteView(note, viewer, bugUrl), bugs: note.bugs.join(' '), lengthMax };
    return { template: 'notes/note', data: { ...data, backUrl: pathOfNote(note) } };
  }

  @Post(':note_id')
  @HttpCode(200)
  @TakesForm()
  async change(
    @Param('note_id', NoteIdPipe) noteId: number,
    @Sent() { text, bugs = [] }: NoteRequest,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    const address = networkOf(request.ip ?? '');
    const note = await this.notes.change(noteId, { text, bugs }, await this.requestor(request), address);
    return { redirectTo: pathOfNote(note) };
  }

  @Post(':note_id/remove')
  @HttpCode(200)
  @TakesForm()
  async remove(
    @Param('note_id', NoteIdPipe) noteId: number,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    const note = await this.notes.remove(noteId, await this.requestor(request), networkOf(request.ip ?? ''));
    return { redirectTo: pathOfNote(note) };
  }

  private requestor(request: ContextRequest): Promise<Requestor> {
    return this.sessions.requestorOf(requireLogin(request));
  }
}
