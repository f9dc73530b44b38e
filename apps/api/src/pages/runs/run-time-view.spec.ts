import { finishedRunRecord } from '@test/support/run-record';
import type { TimeKind, TimeStep } from './run-time';
import { runTimeView } from './run-time-view';

const run = finishedRunRecord({ durationSeconds: 75 });
const step = (kind: TimeKind, seconds: number, name = '', line: number | null = null): TimeStep => {
  return { kind, name, seconds, line };
};

const steps = [
  step('waiting', 100),
  step('testbed', 15, 'test bed setup', 3),
  step('tests', 60, 'unit', 40),
  step('upload', 5),
];

it('the time of a run is shown by kind, beside the last pass, and step by step with the place in the log', () => {
  const view = runTimeView(
    steps,
    [step('waiting', 5_000), step('tests', 40, 'unit'), step('upload', 0)],
    run,
  )!;
  expect(view.words).toBe(
    '1\u00a0min\u00a015\u00a0s, and 5\u00a0s to start and upload, after 1\u00a0min\u00a040\u00a0s of waiting',
  );
  // The sentence of the run has the same duration.
  expect(runTimeView(steps, [], finishedRunRecord({ durationSeconds: 76 }))!.words).toMatch(
    /^1\u00a0min\u00a016\u00a0s, /,
  );
  expect(view.legend).toEqual([
    { kind: 'testbed', words: 'Testbed 15\u00a0s', before: 'under\u00a0a\u00a0second' },
    { kind: 'tests', words: 'Tests 1\u00a0min', before: '40\u00a0s' },
    { kind: 'upload', words: 'Upload 5\u00a0s', before: 'under\u00a0a\u00a0second' },
  ]);
  expect(view.steps.map(({ name, start, duration }) => [name, start, duration])).toEqual([
    ['Waiting', 'at the request', '1\u00a0min\u00a040\u00a0s'],
    ['Testbed: test bed setup', 'after 1\u00a0min\u00a040\u00a0s', '15\u00a0s'],
    ['Test unit', 'after 1\u00a0min\u00a055\u00a0s', '1\u00a0min'],
    ['Upload', 'after 2\u00a0min\u00a055\u00a0s', '5\u00a0s'],
  ]);
  expect(view.steps.map(({ url }) => url.replace(/.*#/, ''))).toEqual(['', 'L3', 'L40', '']);
  // The wait is not in the bars: it would hide the rest.
  expect(String(view.bars[0]!.svg)).toContain(
    'aria-label="This run: Testbed 15\u00a0s, Tests 1\u00a0min, Upload 5\u00a0s"',
  );
  expect(String(view.bars[1]!.svg)).toContain('width="498.0"');
});

it('without a pass before there is one bar, and with the wait alone there is none', () => {
  const view = runTimeView(steps, [], run)!;
  expect(view.bars.map(({ label }) => label)).toEqual(['This run']);
  expect(view.legend.every(({ before }) => before === '')).toBe(true);
  expect(runTimeView(steps.slice(0, 1), [], run)).toBeNull();
});

it('of many steps the longest are listed, in order, and the others are counted', () => {
  const many = Array.from({ length: 40 }, (_, place) => step('tests', place + 1, `t${place}`));
  const view = runTimeView(many.reverse(), [], run)!;
  expect([view.steps.length, view.more, view.steps[0]!.name, view.steps.at(-1)!.name]).toEqual([
    30,
    10,
    'Test t39',
    'Test t10',
  ]);
});

it('names from a log stay text', () => {
  const evil = '<script>alert(1)</script>';
  const { bars, steps: rows } = runTimeView([step('tests', 1, evil, 1)], [], run)!;
  expect(String(bars[0]!.svg)).not.toContain('<script');
  expect(rows[0]!.name).toBe(`Test ${evil}`);
});
