import { timestamp } from '@proctor/contracts';
import type { Note } from '@proctor/database';

/** A note as the API shows it. */
export function noteObject(note: Note) {
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

export type NoteObject = ReturnType<typeof noteObject>;
