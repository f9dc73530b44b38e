import type { Results } from '@proctor/database';
import { silenceLog } from '@test/support/silent-log';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { ResultLongPoll } from './result-long-poll';

silenceLog();

class Books {
  readonly looks: number[][] = [];
  readonly withNewsFor = new Set<number>();
  answer: Promise<void> | null = null;

  constructor(private readonly clock: VirtualClock) {}

  async withNews(waiting: { keyId: number }[]): Promise<boolean[]> {
    this.looks.push([this.clock.now(), waiting.length]);
    await this.answer;
    return waiting.map(({ keyId }) => this.withNewsFor.has(keyId));
  }
}

let clock: VirtualClock;
let books: Books;
let longPoll: ResultLongPoll;
let hint: () => void;
let signals: string[];
beforeEach(() => {
  clock = new VirtualClock();
  books = new Books(clock);
  hint = (): void => undefined;
  signals = [];
  longPoll = new ResultLongPoll(books as unknown as Results, clock, {
    listen: (_subject, received) => (hint = received),
    signal: (subject) => signals.push(subject),
  });
  longPoll.onApplicationBootstrap();
});

/** When a wait ended, in virtual milliseconds. */
function wait(
  keyId: number,
  waitMs = 30_000,
  departure = new AbortController().signal,
): { endedMs: number | null } {
  const outcome: { endedMs: number | null } = { endedMs: null };
  void longPoll.wait(keyId, 0, waitMs, departure).then(() => (outcome.endedMs = clock.now()));
  return outcome;
}

it('a wait ends at once when there is news', async () => {
  books.withNewsFor.add(1);
  const outcome = wait(1);
  await clock.runUntil(0);
  expect(outcome.endedMs).toBe(0);
});

it('a wait for the same ends for a hundred clients at a time when very many wait', async () => {
  const outcomes = Array.from({ length: 250 }, () => wait(1));
  await clock.runUntil(500);
  books.withNewsFor.add(1);
  hint();
  await clock.runUntil(2_000);
  const endedAt = (atMs: number) => outcomes.filter(({ endedMs }) => endedMs === atMs).length;
  expect([endedAt(500), endedAt(600), endedAt(700)]).toEqual([100, 100, 50]);
});

it('a wait ends when the time is over', async () => {
  const outcome = wait(1, 3_000);
  await clock.runUntil(10_000);
  expect(outcome.endedMs).toBe(3_000);
  expect(books.looks.map(([atMs]) => atMs)).toEqual([0, 1_000, 2_000]);
});

it('a wait ends within a second of news without a hint', async () => {
  const outcome = wait(1);
  await clock.runUntil(5_500);
  books.withNewsFor.add(1);
  await clock.runUntil(10_000);
  expect(outcome.endedMs).toBe(6_000);
});

it('a wait ends at once after a hint', async () => {
  const outcome = wait(1);
  await clock.runUntil(5_500);
  books.withNewsFor.add(1);
  hint();
  await clock.runUntil(10_000);
  expect(outcome.endedMs).toBe(5_500);
});

it('a wait ends at once for what this process did, and other processes get a signal', async () => {
  const outcome = wait(1);
  await clock.runUntil(5_500);
  books.withNewsFor.add(1);
  longPoll.notify();
  await clock.runUntil(10_000);
  expect(outcome.endedMs).toBe(5_500);
  expect(signals).toEqual(['proctor.signal.results-changed']);
});

it('one look is shared by all who wait, and wakes those alone who have news', async () => {
  const outcomes = [wait(1), wait(2), wait(2)];
  await clock.runUntil(1_500);
  books.withNewsFor.add(2);
  await clock.runUntil(2_500);
  expect(outcomes.map(({ endedMs }) => endedMs)).toEqual([null, 2_000, 2_000]);
  expect(books.looks).toEqual([
    [0, 3],
    [1_000, 3],
    [2_000, 3],
  ]);
});

it('many hints cause no further reads, and not two at a time', async () => {
  wait(1);
  await clock.runUntil(500);
  for (let count = 0; count < 100; count += 1) hint();
  await clock.runUntil(500);
  let answer = (): void => undefined;
  books.answer = new Promise((resolve) => (answer = resolve));
  hint();
  await clock.runUntil(900);
  for (let count = 0; count < 100; count += 1) hint();
  await clock.runUntil(900);
  expect(books.looks.map(([atMs]) => atMs)).toEqual([0, 500, 600]);
  answer();
  await clock.runUntil(1_200);
  expect(books.looks.map(([atMs]) => atMs)).toEqual([0, 500, 600, 1_000]);
});

it('a wait ends when the client goes away, and stops looking', async () => {
  const client = new AbortController();
  const outcome = wait(1, 30_000, client.signal);
  await clock.runUntil(2_500);
  client.abort();
  await clock.runUntil(20_000);
  expect(outcome.endedMs).toBe(2_500);
  expect(books.looks).toHaveLength(3);
  expect(wait(1, 30_000, client.signal)).toEqual({ endedMs: null });
  await clock.runUntil(20_001);
  expect(books.looks).toHaveLength(3);
});

it('a wait survives a database that is away', async () => {
  books.answer = Promise.reject(new Error('no database'));
  const outcome = wait(1);
  await clock.runUntil(1_500);
  expect(outcome.endedMs).toBeNull();
  books.answer = null;
  books.withNewsFor.add(1);
  await clock.runUntil(2_500);
  expect(outcome.endedMs).toBe(2_000);
});

it('a wait ends when the process does', async () => {
  const outcome = wait(1);
  await clock.runUntil(100);
  longPoll.beforeApplicationShutdown();
  await clock.runUntil(100);
  expect(outcome.endedMs).toBe(100);
  const late = wait(1);
  await clock.runUntil(60_000);
  expect(late.endedMs).toBe(100);
  expect(books.looks).toHaveLength(1);
});

it('a wait is refused when very many wait', async () => {
  for (let count = 0; count < 5_000; count += 1) wait(1);
  await expect(longPoll.wait(1, 0, 1_000, new AbortController().signal)).rejects.toMatchObject({
    status: 503,
  });
  longPoll.beforeApplicationShutdown();
});
