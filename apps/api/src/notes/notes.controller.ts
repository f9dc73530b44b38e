import { NoteList, NoteResource, whole } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Delete, Get, HttpCode, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import { timestamp } from '@proctor/contracts';
import type { Note, Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { networkOf } from '../http/network-of';
import { type ApiReader, CurrentReader, CurrentRequestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import type { ContextRequest } from '../http/request-context';
import { NewNoteRequest, NoteRequest, NotesQuery } from './notes.dto';
import { NotesService } from './notes.service';
import { NOTE_IN_PATH } from '../http/path-ids';

const NOTE_EXAMPLE = {
  note_id: 3,
  subject: 'place',
  package: 'hello',
  suite: 'trixie',
  arch: 'armhf',
  text: 'Needs more memory than the machines have.',
  bugs: ['#123456'],
  author: 'alice',
  run_id: 12,
  signature: '3f1d7f2e9a0e4c3f',
  failing_tests: ['upstream'],
  written_at: '2026-11-20T10:00:00.000Z',
  changed_at: null,
  withdrawn_at: null,
};

/** Notes of people about failures. */
@Controller('api/v1/notes')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class NotesApiController {
  constructor(private readonly notes: NotesService) {}

  @Operation({
    tag: 'Results',
    id: 'listNotes',
    summary: 'What people have written about failures',
    description: [
      'For everybody, without a key: `/data/v1/notes`.',
      'The newest first, withdrawn ones included. With `run_id`, those that say something of this run, and nothing else may be asked for. Only those who may see a private run get notes on it. Send `before` for the next part.',
    ].join('\n\n'),
    answer: {
      description: 'A part of the list; it may be empty before its end.',
      of: NoteList,
      example: { notes: [], before: null },
    },
    refusals: { 404: 'NotFound' },
  })
  @Get()
  async list(
    @Sent() query: NotesQuery,
    @CurrentReader() reader: ApiReader,
  ): Promise<{ notes: NoteResource[]; before: number | null }> {
    const { notes, before } = await this.notes.list(query, reader.runs);
    return { notes: notes.map(noteObject), before };
  }

  @Operation({
    tag: 'Requests',
    id: 'addNote',
    summary: 'Write a note about a failure',
    description:
      'A note on a failed run is shown beside later runs that fail alike: with the same first error, or where that is not known with the same failing tests. It is withdrawn when the test passes again.',
    answer: {
      description: 'The note.',
      of: NoteResource,
      example: NOTE_EXAMPLE,
    },
    body: {
      form: { run_id: 12, text: 'Needs more memory than the machines have.', bugs: '#123456' },
      json: { run_id: 12, text: 'Needs more memory than the machines have.', bugs: ['#123456'] },
    },
    refusals: {
      404: 'NotFound',
      409: {
        description:
          'The run has not failed, its error is not known, or there are too many notes of yours on the package.',
        detail: 'Run 12 has not failed.',
      },
      410: 'Gone',
    },
  })
  @Post()
  @HttpCode(201)
  async add(
    @Sent() newNote: NewNoteRequest,
    @CurrentRequestor() requestor: Requestor,
    @Req() request: ContextRequest,
  ): Promise<NoteResource> {
    return noteObject(await this.notes.add(newNote, requestor, networkOf(request.ip ?? '')));
  }

  @Operation({
    tag: 'Requests',
    id: 'changeNote',
    summary: 'Change what a note says',
    description: 'Users may change their own notes, administrators all.',
    answer: {
      description: 'The note.',
      of: NoteResource,
      example: NOTE_EXAMPLE,
    },
    path: { note_id: { of: whole({ minimum: 1 }), example: 3 } },
    body: {
      form: { text: 'Fixed in the archive.', bugs: '#123456' },
      json: { text: 'Fixed in the archive.', bugs: ['#123456'] },
    },
    refusals: {
      403: {
        description: "The key is not valid, or the note is another user's.",
        detail: "Note 3 is another user's; only they and administrators may change it.",
      },
      404: 'NotFound',
    },
  })
  @Post(':note_id')
  @HttpCode(200)
  async change(
    @Param('note_id', NOTE_IN_PATH) noteId: number,
    @Sent() { text, bugs = [] }: NoteRequest,
    @CurrentRequestor() requestor: Requestor,
    @Req() request: ContextRequest,
  ): Promise<NoteResource> {
    const address = networkOf(request.ip ?? '');
    return noteObject(await this.notes.change(noteId, { text, bugs }, requestor, address));
  }

  @Operation({
    tag: 'Requests',
    id: 'removeNote',
    summary: 'Remove a note',
    description: 'Users may remove their own notes, administrators all.',
    answer: { description: 'The note is removed.' },
    path: { note_id: { of: whole({ minimum: 1 }), example: 3 } },
    refusals: {
      403: {
        description: "The key is not valid, or the note is another user's.",
        detail: "Note 3 is another user's; only they and administrators may change it.",
      },
      404: 'NotFound',
    },
  })
  @Delete(':note_id')
  @HttpCode(204)
  async remove(
    @Param('note_id', NOTE_IN_PATH) noteId: number,
    @CurrentRequestor() requestor: Requestor,
    @Req() request: ContextRequest,
  ): Promise<void> {
    await this.notes.remove(noteId, requestor, networkOf(request.ip ?? ''));
  }
}

/** A note as the API shows it. */
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
