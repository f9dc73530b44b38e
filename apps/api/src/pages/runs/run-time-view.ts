import type { RunRecord } from '@proctor/database';
import { logLinePath } from '../../runs/page-paths';
import { type Html, markup } from '../layout/html';
import { secondsInWords } from '../layout/times';
import { secondsByKind, secondsOf, type TimeKind, type TimeStep } from './run-time';

const WORDS: Record<TimeKind, string> = {
  waiting: 'Waiting',
  start: 'Start on the worker',
  testbed: 'Testbed',
  dependencies: 'Dependencies',
  tests: 'Tests',
  'clean-up': 'Clean-up',
  upload: 'Upload',
};

/** With more steps the longest are listed. */
const STEPS_MAX = 30;
/** Units of the longest bar. */
const WIDTH = 1_000;

/**
 * Where the seconds of a run went: a bar of its kinds of steps after the wait, one of the last pass on the same scale, and the steps in
 * order.
 * @param steps of the run
 * @param before those of the last pass before it; empty when they are not known
 * @returns null when nothing is known but the wait
 */
export function runTimeView(steps: TimeStep[], before: TimeStep[], run: RunRecord) {
  const [here, past] = [steps, before].map((each) => each.filter(({ kind }) => kind !== 'waiting'));
  if (!here || !past || here.length === 0) return null;
  const scale = WIDTH / Math.max(secondsOf(here), secondsOf(past));
  const pastSeconds = new Map(secondsByKind(past).map(({ kind, seconds }) => [kind, seconds]));
  const secondsIn = (...kinds: TimeKind[]) => secondsOf(steps.filter(({ kind }) => kinds.includes(kind)));
  const [wait, around] = [secondsIn('waiting'), secondsIn('start', 'upload')];
  const longest = new Set([...steps].sort((one, other) => other.seconds - one.seconds).slice(0, STEPS_MAX));
  return {
    words: [
      secondsInWords(run.durationSeconds ?? secondsOf(here) - around),
      around > 0 && `and ${secondsInWords(around)} to start and upload`,
      wait > 0 && `after ${secondsInWords(wait)} of waiting`,
    ]
      .filter(Boolean)
      .join(', '),
    bars: [
      { label: 'This run', svg: barOf(here, scale, 'This run') },
      ...(past.length > 0 ? [{ label: 'Last pass', svg: barOf(past, scale, 'The last pass') }] : []),
    ],
    legend: secondsByKind(here).map(({ kind, seconds }) => ({
      kind,
      words: `${WORDS[kind]} ${secondsInWords(seconds)}`,
      before: past.length > 0 ? secondsInWords(pastSeconds.get(kind) ?? 0) : '',
    })),
    steps: startsOf(steps)
      .filter(({ step }) => longest.has(step))
      .map(({ step, start }) => ({
        name: nameOf(step),
        url: step.line === null ? '' : logLinePath(run, step.line),
        start: start === 0 ? 'at the request' : `after ${secondsInWords(start)}`,
        duration: secondsInWords(step.seconds),
      })),
    more: Math.max(0, steps.length - STEPS_MAX),
  };
}

/** The seconds from the request to the start of each step. */
function startsOf(steps: TimeStep[]): { step: TimeStep; start: number }[] {
  let sum = 0;
  return steps.map((step) => {
    const start = sum;
    sum += step.seconds;
    return { step, start };
  });
}

/** `Dependencies of unit` */
function nameOf({ kind, name }: TimeStep): string {
  if (kind === 'tests') return `Test ${name}`;
  if (kind === 'dependencies') return `${WORDS[kind]} of ${name}`;
  return name === '' || kind === 'clean-up' ? WORDS[kind] : `${WORDS[kind]}: ${name}`;
}

/** A bar with a part for each kind, as wide as its seconds. */
function barOf(steps: TimeStep[], scale: number, label: string): Html {
  const kinds = secondsByKind(steps);
  const text = `${label}: ${kinds.map(({ kind, seconds }) => `${WORDS[kind]} ${secondsInWords(seconds)}`).join(', ')}`;
  let x = 0;
  const parts = kinds.map(({ kind, seconds }) => {
    const [start, width] = [x, seconds * scale];
    x += width;
    const title = `${WORDS[kind]}: ${secondsInWords(seconds)}`;
    return markup`<rect class="${kind}" x="${start.toFixed(1)}" width="${Math.max(1, width - 2).toFixed(1)}" height="16"><title>${title}</title></rect>`;
  });
  return markup`<svg class="time-bar" viewBox="0 0 ${WIDTH} 16" preserveAspectRatio="none" role="img" aria-label="${text}">${parts}</svg>`;
}
