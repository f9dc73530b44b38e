import { ManualClock } from '@test/support/manual-clock';
import { LONG_PER_SECOND_MAX, RequestGate } from './request-gate';

const LIMITS = { perSecondMax: 10, bytesPerSecondMax: 1_000, lateMax: 5 };

let clock: ManualClock;
let starts: [string, string | undefined][];
let refusals: string[];
let warned: string[];
let gate: RequestGate;

beforeEach(() => {
  clock = new ManualClock();
  [starts, refusals, warned] = [[], [], []];
  gate = new RequestGate(LIMITS, clock, { warn: (line: string) => warned.push(line) });
});

function ask(sender: string, times: number, bytes = 1): void {
  for (let time = 0; time < times; time += 1)
    gate.receive(sender, {
      bytes,
      start: (notice) => starts.push([sender, notice]),
      refuse: (why) => refusals.push(why),
    });
}

function askLong(times: number): void {
  for (let time = 0; time < times; time += 1)
    gate.receive('w1', {
      bytes: 10,
      isTooLong: true,
      start: () => starts.push(['w1', 'long']),
      refuse: (why) => refusals.push(why),
    });
}

/** Step by step: a manual clock does what is due at the end of a step alone. */
function pass(ms: number): void {
  for (let at = 0; at < ms; at += 10) clock.advance(10);
}

it('what a sender may ask at once is handled at once', () => {
  ask('w1', 20);
  expect(starts).toEqual(Array.from({ length: 20 }, () => ['w1', undefined]));
  expect(warned).toEqual([]);
});

it('what comes beyond that is handled late, as fast as the rate allows, and its sender gets a notice', () => {
  ask('w1', 25);
  expect(starts).toHaveLength(20);
  pass(300);
  expect(starts).toHaveLength(23);
  pass(300);
  const notice = 'w1 sends more than 10 requests or 1000 bytes a second: it is answered late';
  expect(starts.slice(20)).toEqual(Array.from({ length: 5 }, () => ['w1', notice]));
  expect(clock.pending).toBe(0);
});

it('a sender that asks too much keeps no other waiting', () => {
  ask('w1', 1_000);
  ask('w2', 3);
  expect(starts.filter(([sender]) => sender === 'w2')).toEqual(
    Array.from({ length: 3 }, () => ['w2', undefined]),
  );
});

it('large requests are counted by their bytes', () => {
  ask('w1', 4, 700);
  expect(starts).toHaveLength(3);
  pass(90);
  expect(starts).toHaveLength(3);
  pass(60);
  expect(starts).toHaveLength(4);
});

it('a request that is longer than any never waits', () => {
  ask('w1', 20);
  askLong(1);
  pass(2_000);
  expect([starts.length, refusals.length]).toEqual([20, 1]);
});

it('a sender of several requests in a second that are longer than any floods, whatever it may send', () => {
  askLong(LONG_PER_SECOND_MAX + 1);
  expect([starts.length, refusals.length]).toEqual([2, 1]);
  pass(1_000);
  askLong(1);
  expect([starts.length, refusals.length]).toEqual([3, 1]);
});

it('what has no room to wait is refused, ten times in a second with a word', () => {
  ask('w1', 1_000);
  expect(refusals).toEqual(
    Array.from({ length: 10 }, () => expect.stringContaining('w1 sends more than 10') as string),
  );
  clock.advance(1_000);
  ask('w1', 1_000);
  expect(refusals).toHaveLength(20);
});

it('a flood is one line of the log in a minute', () => {
  for (let second = 0; second < 59; second += 1) {
    ask('w1', 1_000);
    clock.advance(1_000);
  }
  expect(warned).toHaveLength(1);
  clock.advance(1_000);
  ask('w1', 1_000);
  expect(warned).toHaveLength(2);
  expect(warned[1]).toMatch(/\(\d+ so far were late, \d{5} refused\)/);
});
