import { ManualClock } from '@test/support/manual-clock';
import { STARTED_MAX, Turns } from './turns';

let clock: ManualClock;
let starts: string[];
let turns: Turns;

beforeEach(() => {
  clock = new ManualClock();
  starts = [];
  turns = new Turns(clock);
});

function send(sender: string, times: number, { rank = 1, bytes = 1 } = {}): void {
  for (let time = 0; time < times; time += 1)
    turns.add({ rank, sender, bytes, start: () => starts.push(sender) });
}

it('a few requests begin at once, the others turn by turn', () => {
  expect(STARTED_MAX).toBe(20);
  send('w1', 50);
  expect(starts).toHaveLength(20);
  clock.advance(1);
  expect(starts).toHaveLength(40);
  clock.advance(1);
  expect(starts).toHaveLength(50);
  clock.advance(1);
  expect(clock.pending).toBe(0);
});

it('a turn with long requests has fewer of them', () => {
  send('w1', 10, { bytes: 100_000 });
  expect(starts).toHaveLength(3);
  clock.advance(1);
  expect(starts).toHaveLength(6);
});

it('of several senders each has its turn, and lower ranks go before all others', () => {
  send('w1', 1_000);
  send('w2', 2);
  send('w3', 2, { rank: 0 });
  clock.advance(1);
  expect(starts.slice(20, 27)).toEqual(['w3', 'w3', 'w1', 'w2', 'w1', 'w2', 'w1']);
});

it('what waits at the end is forgotten', () => {
  send('w1', 50);
  turns.close();
  clock.advance(1);
  expect([starts.length, clock.pending]).toEqual([20, 0]);
});
