import type { Note } from '@proctor/database';
import { failsAlike, fits, type NotedRun } from './notes.service';

const at = (day: number): Date => new Date(Date.UTC(2026, 10, day));

const note = (change: Partial<Note> = {}): Note => ({
  noteId: 1,
  subject: 'place',
  package: 'hello',
  suite: 'sid',
  arch: 'amd64',
  runId: 5,
  text: 'known',
  bugs: [],
  authorId: 1,
  author: 'alice',
  signature: 'ab',
  failingTests: ['one'],
  writtenAt: at(2),
  changedAt: null,
  removedAt: null,
  withdrawnAt: null,
  ...change,
});

const run = (change: Partial<NotedRun> = {}): NotedRun => ({
  runId: 9,
  package: 'hello',
  suite: 'sid',
  arch: 'amd64',
  finishedAt: at(5),
  failure: { signature: 'ab', failingTests: ['one'] },
  ...change,
});

it.each<[string, Partial<Note>, Partial<NotedRun>, boolean]>([
  ['a later run that fails alike', {}, {}, true],
  ['a run with another error', {}, { failure: { signature: 'cd', failingTests: ['one'] } }, false],
  ['a run that has passed', {}, { failure: null }, false],
  ['a run that waits', {}, { failure: null, finishedAt: null }, false],
  ['another place', {}, { arch: 'arm64' }, false],
  ['another place, when the note is about the package', { subject: 'package' }, { arch: 'arm64' }, true],
  ['another package with the same error', { subject: 'error' }, { package: 'figlet', suite: 'trixie' }, true],
  [
    'another package, when the note is about the package',
    { subject: 'package' },
    { package: 'figlet' },
    false,
  ],
  ['a run after a pass', { withdrawnAt: at(4) }, {}, false],
  ['a run before the pass', { withdrawnAt: at(6) }, {}, true],
  [
    'the run on which it was written, after a pass',
    { withdrawnAt: at(6) },
    { runId: 5, failure: null },
    true,
  ],
  ['a removed note', { removedAt: at(3) }, { runId: 5 }, false],
  ['a note on no run, beside a pass', { runId: null, signature: null }, { failure: null }, true],
  ['a note on no run, elsewhere', { runId: null, signature: null }, { suite: 'trixie' }, false],
])(
  'whether a note is shown depends on its subject and on how the run failed: %s',
  (_, noted, ran, isShown) => {
    expect(fits(note(noted), run(ran))).toBe(isShown);
  },
);

it.each([
  ['ab', ['one'], 'ab', ['two'], true],
  ['ab', ['one'], 'cd', ['one'], false],
  [null, ['one', 'two'], 'cd', ['two', 'one'], true],
  [null, ['one'], null, ['one', 'two'], false],
  [null, [], null, [], true],
])('runs with error %s of %j and error %s of %j fail alike: %s', (one, ofOne, other, ofOther, alike) => {
  const failing = (signature: string | null, failingTests: string[]) => ({ signature, failingTests });
  expect(failsAlike(failing(one, ofOne), failing(other, ofOther))).toBe(alike);
});
