import { Inject, Injectable } from '@nestjs/common';
import { describe } from '@proctor/contracts';
import {
  type Note,
  Notes,
  PackagePages,
  type Requestor,
  type RunReader,
  type NoteAuthor,
  type NoteText,
  type RunFailure,
  type RunRecord,
} from '@proctor/database';
import { readerOf } from '../auth/run-reader';
import { CONFIGURATION, type ApiConfiguration } from '../configuration.token';
import { badRequest, notFound, Problem } from '../http/problem';
import { VisibleRuns } from '../runs/visible-runs';
import { type NewNoteRequest, NOTES_PER_PAGE, type NotesQuery } from './notes.dto';
import { loadPart } from '../http/parts';

/** A run that is shown with notes. */
export interface NotedRun {
  runId: number;
  package: string;
  suite: string;
  arch: string;
  /** Null while it has not finished. */
  finishedAt: Date | null;
  /** Null for a run that has not failed. */
  failure: RunFailure | null;
}

/** How a run has ended, if it has. */
type EndOfRun = Pick<RunRecord, 'state' | 'verdict' | 'cancelled'>;

/** What must be known of a run to find the notes about it. */
export type RunWithNotes = Omit<NotedRun, 'failure'> & EndOfRun;

/** Whether a note applies to a run. */
export function fits(note: Note, run: NotedRun): boolean {
  if (note.removedAt !== null) return false;
  if (note.runId === run.runId) return true;
  if (!isAbout(note, run)) return false;
  // A note on no run applies until it is removed.
  if (note.runId === null) return true;
  const isOver = note.withdrawnAt !== null && (run.finishedAt === null || run.finishedAt >= note.withdrawnAt);
  return !isOver && run.failure !== null && failsAlike(note, run.failure);
}

/** Whether the run is of the package, place or error that the note is about. */
function isAbout(note: Note, { package: name, suite, arch, failure }: NotedRun): boolean {
  if (note.subject === 'error') return failure !== null && note.signature === failure.signature;
  if (note.package !== name) return false;
  return note.subject === 'package' || (note.suite === suite && note.arch === arch);
}

/** Compares two failures by their first error if both have one, else by their failing tests. */
export function failsAlike(one: RunFailure, other: RunFailure): boolean {
  if (one.signature !== null && other.signature !== null) return one.signature === other.signature;
  return [...one.failingTests].sort().join('\n') === [...other.failingTests].sort().join('\n');
}

/** The maximum number of notes, the newest, for the runs of one page. */
const NOTES_MAX = 200;

type Subject = Omit<Parameters<Notes['add']>[0], keyof NoteText>;

/** Notes of people about failures. A user sees each note about a run, package or error that the user may see. */
@Injectable()
export class NotesService {
  constructor(
    private readonly notes: Notes,
    private readonly runs: VisibleRuns,
    private readonly packages: PackagePages,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** The notes about the given runs that the reader may see, by run id. */
  async ofRuns(runs: RunWithNotes[], reader: RunReader): Promise<ReadonlyMap<number, Note[]>> {
    if (runs.length === 0) return new Map();
    const failures = await this.notes.failuresOf(runs.filter(hasFailed).map(({ runId }) => runId));
    const noted = runs.map((run): NotedRun => ({ ...run, failure: failures.get(run.runId) ?? null }));
    const signatures = noted.flatMap(({ failure }) => failure?.signature ?? []);
    const packages = [...new Set(runs.map((run) => run.package))];
    const notes = await this.notes.find({ packages, signatures }, reader, NOTES_MAX);
    return new Map(noted.map((run) => [run.runId, notes.filter((note) => fits(note, run))]));
  }

  /** The notes about a package, or about it on the given place, newest first; removed notes are included. */
  async ofPackage(
    name: string,
    place: { suite: string; arch: string } | null,
    reader: RunReader,
  ): Promise<Note[]> {
    const notes = await this.notes.find({ packages: [name] }, reader, NOTES_MAX);
    const isHere = ({ subject, suite, arch }: Note): boolean =>
      subject === 'package' || !place || (suite === place.suite && arch === place.arch);
    return notes.filter((note) => note.package === name && isHere(note));
  }

  /**
   * The notes that match the query, newest first. `before` is the value of `before` for the next part; null at the end.
   * @throws Problem 404 for a run that the reader may not see
   */
  async list(query: NotesQuery, reader: RunReader): Promise<{ notes: Note[]; before: number | null }> {
    const { run_id: runId, limit = NOTES_PER_PAGE, before, suite, arch } = query;
    if (runId !== undefined) {
      const notesOfRuns = await this.ofRuns([await this.runs.one(runId, reader)], reader);
      return { notes: notesOfRuns.get(runId) ?? [], before: null };
    }
    const packages = query.package === undefined ? null : [query.package];
    const read = (most: number): Promise<Note[]> =>
      this.notes.find({ packages }, reader, most, before ?? null);
    const { rows, last } = await loadPart(limit, read, ({ noteId }) => noteId);
    const isMeant = (note: Note): boolean =>
      note.removedAt === null &&
      (suite === undefined || note.suite === suite) &&
      (arch === undefined || note.arch === arch);
    return { notes: rows.filter(isMeant), before: last };
  }

  /** @throws Problem 404 if it does not exist, or the requestor may not see it */
  async one(noteId: number, requestor: Requestor): Promise<Note> {
    const note = await this.notes.one(noteId, readerOf(requestor));
    if (note) return note;
    throw notFound(`There is no note ${noteId}.`);
  }

  /**
   * @returns the new note
   * @throws Problem 400 for an invalid field; 404 for a run or package that the requestor may not see; 409 if the
   * requestor has too many notes
   */
  async add(newNote: NewNoteRequest, requestor: Requestor, address?: string): Promise<Note> {
    const subject =
      newNote.run_id === undefined
        ? await this.general(newNote)
        : await this.onRun(newNote, newNote.run_id, requestor);
    const { text, bugs = [] } = newNote;
    const max = this.configuration.server.notesPerPackageMax;
    const noteId = await this.notes.add({ ...subject, text, bugs }, authorOf(requestor, address), max);
    if (noteId === null)
      throw new Problem(409, `You have ${max} notes on ${subject.package} already; remove one first.`);
    return this.one(noteId, requestor);
  }

  /**
   * @throws Problem 404 if it does not exist, or the requestor may not see it; 403 for another user's note, unless
   * the requestor is an administrator
   */
  async change(noteId: number, text: NoteText, requestor: Requestor, address?: string): Promise<Note> {
    await this.own(noteId, requestor);
    await this.notes.change(noteId, text, authorOf(requestor, address));
    return this.one(noteId, requestor);
  }

  /**
   * @returns the removed note
   * @throws Problem 404 if it does not exist, or the requestor may not see it; 403 for another user's note, unless
   * the requestor is an administrator
   */
  async remove(noteId: number, requestor: Requestor, address?: string): Promise<Note> {
    const note = await this.own(noteId, requestor);
    await this.notes.remove(noteId, authorOf(requestor, address));
    return note;
  }

  private async own(noteId: number, requestor: Requestor): Promise<Note> {
    const note = await this.one(noteId, requestor);
    if (requestor.isAdmin || note.authorId === requestor.userId) return note;
    throw new Problem(403, `Note ${noteId} is another user's; only they and administrators may change it.`);
  }

  private async general({ subject, package: name, suite, arch }: NewNoteRequest): Promise<Subject> {
    if (name === undefined) throw badRequest('run_id or package is needed to say what the note is about.');
    if (subject === 'error')
      throw badRequest('A note about an error needs the run_id of a run that failed with it.');
    if ((suite === undefined) !== (arch === undefined))
      throw badRequest('suite and arch are needed together.');
    if (subject === 'place' && suite === undefined)
      throw badRequest('A note about a place needs suite and arch.');
    if (!(await this.packages.isKnown(name)))
      throw notFound(`No run of the package ${describe(name)} was requested yet.`);
    const isPlace = subject !== 'package' && suite !== undefined;
    return {
      subject: isPlace ? 'place' : 'package',
      package: name,
      suite: isPlace ? suite : null,
      arch: isPlace ? arch! : null,
      runId: null,
      wasPrivate: false,
      signature: null,
      failingTests: [],
    };
  }

  private async onRun(
    { subject = 'place', package: name, suite, arch }: NewNoteRequest,
    runId: number,
    requestor: Requestor,
  ): Promise<Subject> {
    if (name !== undefined || suite !== undefined || arch !== undefined)
      throw badRequest(
        'run_id says which package and place are meant; package, suite and arch do not belong to it.',
      );
    const run = await this.runs.one(runId, readerOf(requestor));
    if (!hasFailed(run)) throw new Problem(409, `Run ${runId} has not failed.`);
    const failure = (await this.notes.failuresOf([runId])).get(runId)!;
    if (subject === 'error' && failure.signature === null)
      throw new Problem(409, `The error of run ${runId} is not known.`);
    return this.subject(run, subject, failure);
  }

  private subject(run: RunRecord, subject: Subject['subject'], failure: RunFailure): Subject {
    const { package: name, suite, arch, runId, isPrivate: wasPrivate } = run;
    return { subject, package: name, suite, arch, runId, wasPrivate, ...failure };
  }
}

export function hasFailed({ state, verdict, cancelled }: EndOfRun): boolean {
  return state === 'finished' && !cancelled && (verdict === 'fail' || verdict === 'tmpfail');
}

function authorOf({ userId, userName }: Requestor, address: string | undefined): NoteAuthor {
  return { userId, userName, address };
}
