import type { TriggerArch, TriggerProgress } from '../../runs/trigger-groups';
import { triggerSentence } from './trigger-view';

const COUNTS: TriggerProgress['counts'] = {
  regression: 0,
  unknown: 0,
  'as-before': 0,
  infrastructure: 0,
  absent: 0,
  waiting: 0,
  passed: 0,
  superseded: 0,
};

const progress = (arches: TriggerArch[], changes: Partial<TriggerProgress> = {}): TriggerProgress => {
  return { tests: [], total: 4, done: 2, counts: COUNTS, arches, ...changes };
};
const arch = (name: string, waiting: number, estimateSeconds: number | null): TriggerArch => {
  const outcomes = { passed: 2 - waiting, failed: 0, broken: 0, untested: 0, running: 0, waiting };
  return { arch: name, outcomes, total: 2, waiting, estimateSeconds, reasons: [] };
};

it.each([
  ['nothing but cancelled runs', progress([], { total: 0, done: 0 }), '0 of 0 done.'],
  [
    'runs that wait',
    progress([arch('amd64', 1, 60), arch('arm64', 1, 600), arch('i386', 0, null)]),
    '2 of 4 done; about\u00a010\u00a0min left, arm64 is the slowest.',
  ],
  [
    'runs whose end is not known on one architecture',
    progress([arch('amd64', 1, 60), arch('arm64', 1, null)]),
    '2 of 4 done.',
  ],
  [
    'failures',
    progress([arch('amd64', 0, null)], { done: 4, counts: { ...COUNTS, regression: 1, 'as-before': 3 } }),
    '4 of 4 done; 1 regression; 3 fail in the reference too.',
  ],
])('the sentence of a trigger names %s', (_, summary, sentence) => {
  expect(triggerSentence(summary)).toBe(sentence);
});
