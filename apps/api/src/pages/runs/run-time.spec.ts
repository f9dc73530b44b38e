import type { LogSection } from '@proctor/result-files';
import { runTime, type RunTimes, secondsByKind, secondsOf } from './run-time';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 20, 10) + seconds * 1_000);

const times: RunTimes = {
  createdAt: at(0),
  grantedAt: at(100),
  startedAt: at(105),
  finishedAt: at(140),
  durationSeconds: 30,
};

function section(kind: LogSection['kind'], name: string, seconds: number | null): LogSection {
  return { kind, name, line: 7, status: null, seconds };
}

const log = [
  section('start', '', 2),
  section('setup', 'test bed setup', 9),
  section('setup', 'apt-source hello', 1),
  section('preparation', 'unit', 6),
  section('test', 'unit', 4),
  section('preparation', 'other', 0),
  section('test', 'other', null),
  section('summary', 'summary', null),
];

it('the steps of a run are those of its records and of its log, in order, each of a second or longer', () => {
  expect(runTime(times, log).map(({ kind, name, seconds, line }) => [kind, name, seconds, line])).toEqual([
    ['waiting', '', 100, null],
    ['start', '', 5, null],
    ['testbed', '', 2, 7],
    ['testbed', 'test bed setup', 9, 7],
    ['testbed', 'apt-source hello', 1, 7],
    ['dependencies', 'unit', 6, 7],
    ['tests', 'unit', 4, 7],
    ['clean-up', '', 8, null],
    ['upload', '', 5, null],
  ]);
});

it('all steps after the start of the runner are together as long as the run', () => {
  const after = runTime(times, log).filter(({ kind }) => kind !== 'waiting' && kind !== 'start');
  expect(secondsOf(after)).toBe((times.finishedAt!.getTime() - times.startedAt!.getTime()) / 1_000);
});

it('the seconds are added by kind, in the order of the life of a run', () => {
  expect(secondsByKind(runTime(times, log))).toEqual([
    { kind: 'waiting', seconds: 100 },
    { kind: 'start', seconds: 5 },
    { kind: 'testbed', seconds: 12 },
    { kind: 'dependencies', seconds: 6 },
    { kind: 'tests', seconds: 4 },
    { kind: 'clean-up', seconds: 8 },
    { kind: 'upload', seconds: 5 },
  ]);
});

it.each<[string, Partial<RunTimes>, LogSection[], string[]]>([
  ['without the index of a log', {}, [], ['waiting', 'start', 'upload']],
  [
    'whose log says that it took longer than it did',
    {},
    [section('test', 'x', 33)],
    ['waiting', 'start', 'upload'],
  ],
  [
    'whose log is longer by rounding',
    {},
    [section('test', 'x', 32)],
    ['waiting', 'start', 'tests', 'upload'],
  ],
  [
    'whose index has the times of tests alone',
    {},
    [section('test', 'x', 5)],
    ['waiting', 'start', 'tests', 'upload'],
  ],
  ['whose attempt is not known', { grantedAt: null }, [], ['waiting', 'upload']],
  ['that was never started', { grantedAt: null, startedAt: null }, [], []],
  ['on a worker whose clock is behind', { startedAt: at(50), finishedAt: at(60) }, [], ['waiting']],
  [
    'without a duration',
    { durationSeconds: null },
    [section('test', 'x', 3)],
    ['waiting', 'start', 'tests', 'upload'],
  ],
])('a run %s has no step that is negative or made up', (_what, change, sections, kinds) => {
  const steps = runTime({ ...times, ...change }, sections);
  expect(steps.map(({ kind }) => kind)).toEqual(kinds);
  expect(steps.every(({ seconds }) => seconds >= 1)).toBe(true);
});
