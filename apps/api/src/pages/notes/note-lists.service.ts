import { Inject, Injectable } from '@nestjs/common';
import type { Note, RunRecord } from '@proctor/database';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { hasFailed, NotesService, type RunWithNotes } from '../../notes/notes.service';
import type { Viewer } from '../../sessions/viewer';
import { viewOfNote } from './note-view';

/** Number of withdrawn notes on a page. */
const EARLIER_MAX = 20;

type NoteView = ReturnType<typeof viewOfNote>;

/** The data of the section with notes. */
interface NoteSection {
  notes: NoteView[];
  /** Withdrawn notes, about failures that are over. */
  earlier: NoteView[];
  /** The hidden fields of the form for a new note: the run, or the package and place. */
  fields: { name: string; value: string }[];
  /** Whether the form lets the user choose the subject of the note: only on the page of a run. */
  isOnRun: boolean;
  mayWrite: boolean;
  lengthMax: number;
}

/** Loads the notes for pages. The result depends on the viewer. */
@Injectable()
export class NoteLists {
  constructor(
    private readonly notes: NotesService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** The section on the page of a run. */
  async ofRun(run: RunRecord, viewer: Viewer): Promise<NoteSection> {
    const notes = (await this.notes.ofRuns([run], viewer.reader)).get(run.runId) ?? [];
    const fields = [{ name: 'run_id', value: String(run.runId) }];
    const mayWrite = viewer.user !== null && hasFailed(run);
    return { ...this.section(notes, [], viewer), fields, isOnRun: true, mayWrite };
  }

  /** The section on the page of a package or of a history, with the times at which its notes changed. */
  async ofPackage(
    name: string,
    place: { suite: string; arch: string } | null,
    viewer: Viewer,
  ): Promise<{ section: NoteSection; updates: Date[] }> {
    const notes = await this.notes.ofPackage(name, place, viewer.reader);
    const remaining = notes.filter(({ removedAt }) => removedAt === null);
    const present = remaining.filter(({ withdrawnAt }) => withdrawnAt === null);
    const earlier = remaining.filter(({ withdrawnAt }) => withdrawnAt !== null).slice(0, EARLIER_MAX);
    const fields = [
      { name: 'package', value: name },
      ...(place
        ? [
            { name: 'suite', value: place.suite },
            { name: 'arch', value: place.arch },
          ]
        : []),
    ];
    const section = this.section(present, earlier, viewer);
    return {
      section: { ...section, fields, isOnRun: false, mayWrite: viewer.user !== null },
      updates: notes.map(({ writtenAt, changedAt, removedAt }) => removedAt ?? changedAt ?? writtenAt),
    };
  }

  /** The notes of several runs, by id of run. */
  async ofRuns(runs: RunWithNotes[], viewer: Viewer): Promise<ReadonlyMap<number, NoteView[]>> {
    const notesOfRuns = await this.notes.ofRuns(runs, viewer.reader);
    return new Map([...notesOfRuns].map(([runId, notes]) => [runId, this.views(notes, viewer)]));
  }

  private section(notes: Note[], earlier: Note[], viewer: Viewer) {
    const { noteLengthMax: lengthMax } = this.configuration.server;
    return { notes: this.views(notes, viewer), earlier: this.views(earlier, viewer), lengthMax };
  }

  private views(notes: Note[], viewer: Viewer): NoteView[] {
    return notes.map((note) => viewOfNote(note, viewer, this.configuration.server.bugUrl));
  }
}
