import { Controller, Delete, Get, HttpCode, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { describe, timestamp } from '@proctor/contracts';
import { type Note, Notes, type Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { networkOf } from '../http/network-of';
import { type ApiReader, CurrentReader, CurrentRequestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { notFound } from '../http/problem';
import type { ContextRequest } from '../http/request-context';
import { VisibleRuns } from '../runs/visible-runs';
import { NewNoteRequest, NoteRequest, NOTES_PER_PAGE, NotesQuery } from './notes.dto';
import { NotesService } from './notes.service';

/** The id of a note in a path. */
export class NoteIdPipe implements PipeTransform<string, number> {
  /** @throws Problem 404 */
  transform(text: string): number {
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    throw notFound(`There is no note ${describe(text)}.`);
  }
}

function noteObject(note: Note) {
  return {
    note_id: note.noteId,
    subject: note.subject,
    package: note.package,
    suite: note.suite,
    arch: note.arch,
    text: note.text,
    bugs: note.bugs,
    author: note.author,
    run_id: note.runId,
    signature: note.signature,
    failing_tests: note.failingTests,
    written_at: timestamp(note.writtenAt),
    changed_at: note.changedAt && timestamp(note.changedAt),
    withdrawn_at: note.withdrawnAt && timestamp(note.withdrawnAt),
  };
}

type NoteObject = ReturnType<typeof noteObject>;

/** What people have written about failures. */
@Controller('api/v1/notes')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class NotesApiController {
  constructor(
    private readonly notes: NotesService,
    private readonly rows: Notes,
    private readonly runs: VisibleRuns,
  ) {}

  @Get()
  async list(
    @Sent() query: NotesQuery,
    @CurrentReader() reader: ApiReader,
  ): Promise<{ notes: NoteObject[]; before: number | null }> {
    if (query.run_id !== undefined) {
      const run = await this.runs.one(query.run_id, reader.runs);
      const found = await this.notes.ofRuns([run], reader.runs);
      return { notes: (found.get(run.runId) ?? []).map(noteObject), before: null };
    }
    const { limit = NOTES_PER_PAGE, before, suite, arch } = query;
    const packages = query.package === undefined ? null : [query.package];
    const found = await this.rows.find({ packages }, reader.runs, limit + 1, before ?? null);
    const part = found.slice(0, limit);
    const isMeant = (note: Note): boolean =>
      note.removedAt === null &&
      (suite === undefined || note.suite === suite) &&
      (arch === undefined || note.arch === arch);
    return {
      notes: part.filter(isMeant).map(noteObject),
      before: found.length > limit ? part.at(-1)!.noteId : null,
    };
  }

  @Post()
  @HttpCode(201)
  async add(
    @Sent() asked: NewNoteRequest,
    @CurrentRequestor() requestor: Requestor,
    @Req() request: ContextRequest,
  ): Promise<NoteObject> {
    return noteObject(await this.notes.add(asked, requestor, networkOf(request.ip ?? '')));
  }

  @Post(':note_id')
  @HttpCode(200)
  async change(
    @Param('note_id', NoteIdPipe) noteId: number,
    @Sent() { text, bugs = [] }: NoteRequest,
    @CurrentRequestor() requestor: Requestor,
    @Req() request: ContextRequest,
  ): Promise<NoteObject> {
    const address = networkOf(request.ip ?? '');
    return noteObject(await this.notes.change(noteId, { text, bugs }, requestor, address));
  }

  @Delete(':note_id')
  @HttpCode(204)
  async remove(
    @Param('note_id', NoteIdPipe) noteId: number,
    @CurrentRequestor() requestor: Requestor,
    @Req() request: ContextRequest,
  ): Promise<void> {
    await this.notes.remove(noteId, requestor, networkOf(request.ip ?? ''));
  }
}
