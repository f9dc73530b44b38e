import type { WorkerResource } from '@proctor/resources';
import { attentionOf, attentionSentence } from './attention';

const since = '2026-11-20T15:40:51.000Z';
const sound = { name: 'w1', arch: 'amd64', standing: 'sound', reason: null, problem: null } as WorkerResource;
const quiet = {
  configuration: { loadedAt: new Date(), problems: [], needsRestart: [] },
  troubles: [],
  workers: { workers: [sound], silent_architectures: [] },
  pauses: [],
  drains: [],
  restored: null,
  mail: null,
};

it('nothing needs attention while all is well', () => {
  expect(attentionOf(quiet)).toEqual([]);
  expect(attentionSentence([])).toBe('Nothing needs attention.');
});

it('what is wrong comes before what was decided', () => {
  const causes = attentionOf({
    configuration: { ...quiet.configuration, problems: ['a:1: x'], needsRestart: ['port'] },
    troubles: [
      { kind: 'no scheduler', what: 'arm64: no scheduler answers', since: null },
      { kind: 'no worker', what: 'riscv64: no worker', since: null },
    ],
    restored: null,
    mail: null,
    workers: {
      workers: [
        { ...sound, standing: 'quarantined', reason: 'run 5: no space left' },
        { ...sound, name: 'w2', problem: 'the disk is full' },
      ],
      silent_architectures: ['arm64'],
    },
    pauses: [{ suite: 'sid', arch: null, by: 'ann', reason: 'a mirror', since }],
    drains: [{ worker: 'w3', by: 'ann', reason: 'disks', since, deadline: null }],
  });
  expect(causes.map(({ text }) => text)).toEqual([
    'The configuration is not in use: a:1: x',
    'Runs wait on riscv64: no worker.',
    'No scheduler answers for arm64, or not to the end.',
    'Worker w1 is quarantined on amd64: run 5: no space left',
    'Worker w2 takes no work on amd64: the disk is full',
    'A restart is needed: port',
    'Suite sid on every architecture is paused by ann (since 2026-11-20 15:40:51 UTC): a mirror',
    'Worker w3 is drained by ann (since 2026-11-20 15:40:51 UTC): disks',
  ]);
  expect(attentionSentence(causes)).toBe('5 things are wrong; 3 decisions hold.');
});

it('a restore of the database is shown with what it has lost', () => {
  const [restoredAt, takenAt] = [new Date('2026-11-20T15:00:00Z'), new Date('2026-11-20T12:00:00Z')];
  const restored = { restoredAt, takenAt, firstLostRun: 8, nextRun: 100_008, filesMissing: 2 };
  expect(attentionOf({ ...quiet, restored })).toEqual([
    {
      text:
        'The database was restored at 2026-11-20T15:00:00.000Z to 2026-11-20T12:00:00.000Z: what was written after that is' +
        ' missing. Runs 8 to 100007 may have been requested since, and are unknown. The files of 2 runs are missing.',
      url: null,
      isUrgent: false,
    },
  ]);
});
