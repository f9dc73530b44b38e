import type { RunEvent } from '@proctor/events';
import { ManualClock } from '@test/support/manual-clock';
import { runEvent } from '@test/support/run-event';
import { silenceLog } from '@test/support/silent-log';
import { SLICE_MS } from '../http/slices';
import { EventStreams } from './event-streams';

silenceLog();

const LIMITS = { waitingBytesMax: 40, waitingBytesTotalMax: 100 };

function rig() {
  const rows: RunEvent[] = [];
  const clock = new ManualClock();
  let hint = (): void => undefined;
  const source = {
    start: jest.fn((second: number) =>
      Promise.resolve({
        horizon: 5,
        canRise: false,
        first: second === Infinity || rows.length === 0 ? null : 1,
      }),
    ),
    page: jest.fn(({ knownIds }: { knownIds: number[] }) =>
      Promise.resolve(rows.filter(({ factId }) => !knownIds.includes(factId))),
    ),
    raise: jest.fn(() => Promise.resolve()),
  };
  const dispatchers = { listen: (_subject: string, received: () => void) => void (hint = received) };
  const streams = new EventStreams(source, clock, dispatchers, () => LIMITS);
  streams.onApplicationBootstrap();
  const happens = (factId: number): void => {
    rows.push(runEvent({ factId, at: new Date(6_000) }));
  };
  return { streams, source, clock, happens, hint: () => hint() };
}

function listener() {
  const factIds: number[] = [];
  const end = jest.fn();
  const deliver = (events: RunEvent[]): void => void factIds.push(...events.map(({ factId }) => factId));
  return { factIds, end, deliver, waitingBytes: 0 };
}

/** Everything that was begun has ended. */
async function settled(): Promise<void> {
  // Each delivery may take a turn of its own.
  for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

it('a page that is delivered to many does not block the event loop until all have it', async () => {
  const { streams, clock, happens } = rig();
  let isOver = false;
  let turns = 0;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  const turnsSeen: number[] = [];
  const deliver = (): void => {
    turnsSeen.push(turns);
    for (const end = performance.now() + SLICE_MS + 1; performance.now() < end;);
  };
  for (let listeners = 0; listeners < 20; listeners += 1) await streams.join({ ...listener(), deliver });
  await settled();
  happens(1);
  setImmediate(count);
  clock.advance(100);
  await settled();
  clock.advance(1_000);
  while (turnsSeen.length < 20) await settled();
  isOver = true;
  expect(new Set(turnsSeen).size).toBe(20);
});

// waitingBytesMax, and waitingBytesTotalMax where all together have more.
it.each([
  [[30, 30, 40, 0], 40],
  [[30, 30, 41, 0], 25],
  [[90, 90], 40],
])('where %j bytes wait, %d may wait for each client', async (waitingBytes, waitingBytesMax) => {
  const { streams, clock, happens } = rig();
  const limits = new Set<number>();
  const deliver = (_events: RunEvent[], _second: number, limit: number): void => void limits.add(limit);
  for (const each of waitingBytes) await streams.join({ ...listener(), deliver, waitingBytes: each });
  await settled();
  happens(1);
  clock.advance(100);
  await settled();
  clock.advance(1_000);
  await settled();
  expect([...limits]).toEqual([waitingBytesMax]);
});

it('a listener that leaves while a page is delivered gets nothing more', async () => {
  const { streams, clock, happens } = rig();
  const second = listener();
  let leave = (): void => undefined;
  await streams.join({ ...listener(), deliver: () => leave() });
  ({ leave } = await streams.join(second));
  await settled();
  happens(1);
  for (const ms of [100, 1_000]) {
    clock.advance(ms);
    await settled();
  }
  expect(second.factIds).toEqual([]);
});

it('one read serves all who follow events: each gets each event once, and nothing that was there before', async () => {
  const { streams, source, clock, happens } = rig();
  happens(1);
  const listeners = [listener(), listener(), listener()];
  for (const each of listeners) await streams.join(each);
  await settled();
  source.page.mockClear();
  happens(2);
  for (const ms of [100, 1_000, 100, 1_000]) {
    clock.advance(ms);
    await settled();
  }
  expect(listeners.map(({ factIds }) => factIds)).toEqual([[2], [2], [2]]);
  expect(source.page.mock.calls.length).toBeLessThanOrEqual(3);
});

it('a hint that something has happened leads to a look at once', async () => {
  const { streams, clock, happens, hint } = rig();
  const one = listener();
  await streams.join(one);
  await settled();
  clock.advance(100);
  await settled();
  happens(1);
  hint();
  await settled();
  expect(one.factIds).toEqual([1]);
});

it('events are not read while no client follows them, and a client that comes then gets them again', async () => {
  const { streams, source, clock, happens } = rig();
  const first = listener();
  const { leave } = await streams.join(first);
  await settled();
  leave();
  clock.advance(100);
  await settled();
  source.start.mockClear();
  clock.advance(10_000);
  await settled();
  expect(source.start).not.toHaveBeenCalled();
  const second = listener();
  await streams.join(second);
  await settled();
  clock.advance(100);
  await settled();
  happens(1);
  clock.advance(1_000);
  await settled();
  expect([first.factIds, second.factIds]).toEqual([[], [1]]);
});

it('a look for events that fails is followed by the next', async () => {
  const { streams, source, clock, happens } = rig();
  const one = listener();
  await streams.join(one);
  await settled();
  clock.advance(100);
  await settled();
  happens(1);
  source.start.mockRejectedValueOnce(new Error('the database is away'));
  for (const ms of [1_000, 100, 1_000]) {
    clock.advance(ms);
    await settled();
  }
  expect(one.factIds).toEqual([1]);
});

it('the end of the process ends what follows events, with a word', async () => {
  const { streams } = rig();
  const one = listener();
  await streams.join(one);
  streams.beforeApplicationShutdown();
  expect(one.end.mock.calls).toEqual([['the service restarts']]);
});
