import { ManualClock } from '@test/support/manual-clock';
import { Refusals } from './refusals';

const clock = new ManualClock();
const lines: string[] = [];
let final = 0;
let refusals: Refusals;

beforeEach(() => {
  lines.length = final = 0;
  refusals = new Refusals('w1', 'nats.example:4222', { error: (text: string) => lines.push(text) }, clock);
  refusals.onFinal(() => final++);
});

function refusedFor(seconds: number): void {
  for (let second = 0; second < seconds; second++) {
    refusals.onRefused();
    clock.advance(1_000);
  }
}

it('the log says once who is refused and what to do, and again after ten minutes', () => {
  refusedFor(600);
  expect(lines).toEqual([
    'nats-server at nats.example:4222 no longer lets w1 in: if it was revoked, stop this process; if its key was changed, ' +
      'start it again with its new credentials. It is tried again',
  ]);
  refusedFor(1);
  expect(lines).toHaveLength(2);
});

it('a refusal of ten seconds counts as final, once', () => {
  refusedFor(10);
  expect(final).toBe(0);
  refusedFor(100);
  expect(final).toBe(1);
});

it('refusals are counted from the start again after an admission', () => {
  refusedFor(9);
  refusals.onAdmitted();
  refusedFor(9);
  expect({ final, lines: lines.length }).toEqual({ final: 0, lines: 2 });
});
