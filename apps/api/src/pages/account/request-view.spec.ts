import { badRequest } from '../../http/problem';
import type { DryRunAnswer } from '../../runs/dry-run';
import { curlOf, mistakesOfForm, previewView } from './request-view';

const WAIT = {
  suite: 'sid',
  arch: 'amd64',
  runs: 1,
  waiting: 0,
  running: 0,
  estimate_seconds: 0,
  paused: null,
};
const answer = (parts: Partial<DryRunAnswer> = {}): DryRunAnswer => ({
  dry_run: true,
  runs: [],
  ignored: [],
  waits: [],
  warnings: [],
  ...parts,
});
const run = (doubles: number | null) => ({ package: 'hello', suite: 'sid', arch: 'amd64', doubles });
const ignored = { index: 0, package: 'Bad', reason: 'invalid-name' as const };

it.each<[string, Partial<DryRunAnswer>]>([
  ['Nothing would be requested, 1 ignored.', { ignored: [ignored] }],
  ['One run would be requested.', { runs: [run(null)] }],
  ['One run would be requested. It repeats a run that is waiting or running.', { runs: [run(5)] }],
  [
    '2 runs would be requested. One of them repeats a run that is waiting or running.',
    { runs: [run(5), run(null)] },
  ],
  [
    '2 runs would be requested. 2 of them repeat runs that are waiting or running.',
    { runs: [run(5), run(6)] },
  ],
])('a preview begins with: %s', (sentence, parts) => {
  expect(previewView(answer(parts)).sentence).toBe(sentence);
});

it.each<[string, Partial<DryRunAnswer['waits'][number]>]>([
  ['1 run, next in line', {}],
  ['1 run, next in line; no scheduler answers for amd64', { reasons: ['no scheduler answers for amd64'] }],
  [
    '2 runs, after 3 waiting runs, done in about\u00a012\u00a0min',
    { runs: 2, waiting: 3, estimate_seconds: 700 },
  ],
  [
    '1 run, after 1 waiting run, done in about\u00a02\u00a0h\u00a01\u00a0min',
    { waiting: 1, estimate_seconds: 7_260 },
  ],
  [
    '1 run, after 4 waiting runs, all slots are busy',
    { waiting: 4, estimate_seconds: null, reasons: ['all slots are busy'] },
  ],
  [
    '1 run, after 4 waiting runs; paused: no mirror',
    { waiting: 4, paused: { by: 'admin', reason: 'no mirror', since: '2026-11-20T15:39:00.000Z' } },
  ],
])('a preview says how long a queue is: %s', (words, parts) => {
  const waits = [{ ...WAIT, reasons: [], ...parts }];
  expect(previewView(answer({ waits })).waits).toEqual([{ place: 'sid/amd64', words }]);
});

it('a preview of many lines is cut, and says so', () => {
  const view = previewView(answer({ runs: Array.from({ length: 130 }, (_, id) => run(id + 1)) }));
  expect([view.doubles.length, view.more]).toEqual([100, 30]);
});

it('a mistake that each package of a form has is shown once, without its place in the JSON', () => {
  const errors = [0, 1].map((place) => ({
    pointer: `#/tests/0/tests/${place}/priority`,
    detail: `tests[0].tests[${place}].priority must be an integer`,
  }));
  expect(mistakesOfForm(badRequest('Nothing was accepted.', errors))).toEqual([
    'priority must be an integer',
  ]);
});

it('the command of a request keeps what a shell would read', () => {
  const command = curlOf('[{"package": "$(x) `y` \'z\'"}]', 'https://ci.example');
  expect(command).toContain(`<<'END'\n[{"package": "$(x) \`y\` 'z'"}]\nEND`);
});
