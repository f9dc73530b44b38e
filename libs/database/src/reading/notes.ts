import { Injectable } from '@nestjs/common';
import type { TestResult } from '@proctor/contracts';
import { type Actor, audit } from '../people/audit-log';
import { Database } from '../kit/database';
import { NoteRow } from '../rows/note';
import { columnsOf, type WholeRow, without } from '../kit/columns-of';
import { type RunReader, seenBy } from '../runs/run-search';
import {
  bigint,
  type ColumnsOf,
  command,
  integer,
  jsonb,
  selectList,
  statement,
  text,
  time,
} from '../kit/statement';

/** How a run failed: the signature of the first error of its log, and the failed tests in order. */
export type RunFailure = Pick<NoteRow, 'signature' | 'failingTests'>;

/** The subject of a new note. */
type NewNote = RunFailure & Pick<NoteRow, 'subject' | 'package' | 'suite' | 'arch' | 'runId' | 'wasPrivate'>;

export interface NoteText {
  text: string;
  /** Bugs: `#123456`, or addresses. */
  bugs: string[];
}

export interface Note extends Omit<WholeRow<NoteRow>, 'body' | 'wasPrivate'>, NoteText {
  /** The name of the user who wrote the note. */
  author: string;
  /** When the failed test passed again; null while it fails, and for a note without a run. */
  withdrawnAt: Date | null;
}

/** A filter of notes; null matches all. */
interface NoteFilter {
  packages: string[] | null;
  /** Signatures: notes about these errors are included, whatever their packages are. */
  signatures?: string[];
}

/** The author of a note. */
export type NoteAuthor = Actor & { userId: number };

/** The notes of people about failures. */
@Injectable()
export class Notes {
  constructor(private readonly database: Database) {}

  /**
   * The notes that the reader may see, removed ones too, newest first. A note on a private run is visible to those
   * who may see the run.
   * @param before only notes with lower ids
   */
  find(
    { packages, signatures = [] }: NoteFilter,
    { everything = false, keyId, userName }: RunReader,
    limit: number,
    before: number | null = null,
  ): Promise<Note[]> {
    const reader = [everything, keyId ?? null, userName ?? null];
    return this.database.query(FIND, [packages, signatures, ...reader, limit, before, null]);
  }

  /** A note that was not removed; null if there is none, or the reader may not see it. */
  async one(noteId: number, { everything = false, keyId, userName }: RunReader): Promise<Note | null> {
    const reader = [everything, keyId ?? null, userName ?? null];
    const [note] = await this.database.query(FIND, [null, [], ...reader, 1, null, noteId]);
    return note && note.removedAt === null ? note : null;
  }

  /** How runs failed. For a run that did not fail, the fields are empty. */
  async failuresOf(runIds: number[]): Promise<ReadonlyMap<number, RunFailure>> {
    const rows = await this.database.query(FAILURES, [runIds]);
    const failing = (tests: TestResult[]): string[] =>
      tests.filter(({ status }) => status === 'FAIL').map(({ name }) => name);
    return new Map(
      rows.map(({ runId, signature, tests }) => [runId, { signature, failingTests: failing(tests).sort() }]),
    );
  }

  /**
   * Adds a note.
   * @param max the number of notes that one user may have on one package
   * @returns the id of the note; null if there are too many
   */
  add(note: NewNote & NoteText, by: NoteAuthor, max: number): Promise<number | null> {
    return this.database.transaction(async (transaction) => {
      await transaction.query(LOCK_USER, [by.userId]);
      const [count] = await transaction.query(COUNT, [by.userId, note.package]);
      if (count!.notes >= max) return null;
      const subject = [note.subject, note.package, note.suite, note.arch, note.text, note.bugs, by.userId];
      const failure = [note.runId, note.wasPrivate, note.signature, note.failingTests];
      const [added] = await transaction.query(ADD, [...subject, ...failure]);
      await audit(transaction, by, {
        action: 'note-added',
        subject: subjectOf(added!.noteId),
        detail: note.text,
      });
      return added!.noteId;
    });
  }

  /** @returns false if there is no such note */
  change(noteId: number, { text: body, bugs }: NoteText, by: NoteAuthor): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const rows = await transaction.query(CHANGE, [noteId, body, bugs]);
      if (rows.length === 0) return false;
      await audit(transaction, by, { action: 'note-changed', subject: subjectOf(noteId), detail: body });
      return true;
    });
  }

  /** Removes a note: its row stays in the table, but no page shows it. @returns false if there is no such note */
  remove(noteId: number, by: NoteAuthor): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const removed = await transaction.query(REMOVE, [noteId]);
      if (removed.length === 0) return false;
      await audit(transaction, by, { action: 'note-removed', subject: subjectOf(noteId) });
      return true;
    });
  }
}

function subjectOf(noteId: number): string {
  return `note ${noteId}`;
}

const NOTE_COLUMNS = {
  ...without(columnsOf(NoteRow), 'body', 'wasPrivate'),
  text: text.from('n.body'),
  author: text.from('u.name'),
  withdrawnAt: time.orNull.from('passed.finished_at'),
} satisfies ColumnsOf<Note>;

/**
 * `r` is the run on which the note was written. If this run was removed, the note is visible to all users or to none.
 * `passed` is a later run of the same package on the same place with the same pins and sources.
 */
const FIND = statement(
  NOTE_COLUMNS,
  `
  select ${selectList(NOTE_COLUMNS, 'n')}
  from notes n
  join users u on u.user_id = n.author_id
  left join runs r on r.run_id = n.run_id
  left join lateral (
    select p.finished_at from runs p
    where p.package = r.package and p.suite = r.suite and p.arch = r.arch and p.state = 'finished' and not p.is_private
      and p.verdict in ('pass', 'neutral') and p.pin_packages = r.pin_packages
      and p.extra_apt_sources = r.extra_apt_sources and p.finished_at > r.finished_at
    order by p.finished_at, p.run_id limit 1
  ) passed on n.subject <> 'error'
  where ($1::text[] is null or n.note_id in (
      select a.note_id from notes a where a.package = any($1::text[])
      union all
      select e.note_id from notes e where e.subject = 'error' and e.signature = any($2::text[])))
    and (n.run_id is null or case when r.run_id is null then not n.was_private else ${seenBy(3)} end)
    and ($7::bigint is null or n.note_id < $7) and ($8::bigint is null or n.note_id = $8)
  order by n.note_id desc limit $6`,
);

const FAILURES = statement(
  { runId: bigint, signature: text.orNull, tests: jsonb.as<TestResult[]>() },
  `select run_id as "runId", error_signature as signature, tests from runs where run_id = any($1::bigint[])`,
);

/** Locks the user, so that simultaneous notes are added one after the other. */
const LOCK_USER = command('select from users where user_id = $1 for no key update');

const COUNT = statement(
  { notes: integer },
  'select count(*)::integer as notes from notes where author_id = $1 and package = $2 and removed_at is null',
);

const ADD = statement(
  { noteId: bigint },
  `
  insert into notes (subject, package, suite, arch, body, bugs, author_id, run_id, was_private, signature, failing_tests,
    written_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp()) returning note_id as "noteId"`,
);

const CHANGE = statement(
  { noteId: bigint },
  `
  update notes set body = $2, bugs = $3, changed_at = clock_timestamp() where note_id = $1 and removed_at is null
  returning note_id as "noteId"`,
);

const REMOVE = statement(
  { noteId: bigint },
  `
  update notes set removed_at = clock_timestamp() where note_id = $1 and removed_at is null
  returning note_id as "noteId"`,
);
