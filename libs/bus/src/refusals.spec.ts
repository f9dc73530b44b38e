import { ManualClock } from '@test/support/manual-clock';
import { Refusals } from './refusals';

const clock = new ManualClock();
const told: string[] = [];
let meant = 0;
let refusals: Refusals;

beforeEach(() => {
  told.length = meant = 0;
  refusals = new Refusals('w1', 'nats.example:4222', { error: (text: string) => told.push(text) }, clock);
  refusals.onFinal(() => meant++);
});

function refusedFor(seconds: number): void {
  for (let second = 0; second < seconds; second++) {
    refusals.onRefused();
    clock.advance(1_000);
  }
}

it('the log says once who is refused and what to do, and again after ten minutes', () => {
  refusedFor(600);
  expect(told).toEqual([
    'nats-server at nats.example:4222 no longer lets w1 in: if it was revoked, stop this process; if its key was changed, ' +
      'start it again with its new credentials. It is tried again',
  ]);
  refusedFor(1);
  expect(told).toHaveLength(2);
});

it('a refusal of ten seconds is taken for meant, once', () => {
  refusedFor(10);
  expect(meant).toBe(0);
  refusedFor(100);
  expect(meant).toBe(1);
});

it('refusals are counted from the start again after an admission', () => {
  refusedFor(9);
  refusals.onAdmitted();
  refusedFor(9);
  expect({ meant, told: told.length }).toEqual({ meant: 0, told: 2 });
});
