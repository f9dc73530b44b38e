import type { AttemptOutcome, RunState } from '@proctor/contracts';
import { afterwards, endSentence } from './attempt-end';

it.each<[AttemptOutcome | null, RegExp]>([
  [null, /^$/],
  ['finished', /^The test has ended\.$/],
  ['failed', /failed/],
  ['expired', /expired: its worker/],
  ['lost', /lost/],
  ['returned', /returned this run/],
  ['cancelled', /cancelled/],
])('of an attempt with the outcome %p is said what happened', (outcome, sentence) => {
  expect(endSentence({ outcome })).toMatch(sentence);
});

it.each<[string, RunState, number, AttemptOutcome | null, string, number | null, boolean]>([
  ['goes on', 'running', 1, null, '', null, false],
  ['was the last', 'finished', 1, 'finished', '', null, false],
  ['is to be repeated', 'queued', 1, 'expired', 'The run is waiting for another attempt.', null, true],
  ['is repeated', 'running', 2, 'expired', 'The run has another attempt:', 2, false],
  ['was repeated', 'finished', 3, 'failed', 'The run had another attempt:', 3, false],
])('after an attempt that %s, the run is said to do so', (_what, state, latest, outcome, ...after) => {
  const [sentence, attempt, isWaiting] = after;
  expect(afterwards({ state, attempt: latest }, { attempt: 1, outcome })).toEqual({
    sentence,
    attempt,
    isWaiting,
  });
});
