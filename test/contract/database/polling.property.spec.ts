import fc from 'fast-check';
import { openDatabase } from '@proctor/database';
import { type Fixture, setUp } from './fixture';
import { Poller } from './polling/poller';
import { createReader, dropReader } from './polling/reader-role';
import { letDrowse } from './polling/drowse';
import { SteppingClock } from './polling/stepping-clock';
import { WRITERS, writersOf } from './polling/writers';

/** Random stories, in addition to those in which only one kind of writer is drowsy. */
const STORIES = 3;

/** Seconds that a kind of writer lies asleep in each of its transactions, after its last write, before its commit. */
const drowsiness = fc.constantFrom(0, 0, 0.05, 0.7, 1.4);

const story = fc.record({
  sleeps: fc.dictionary(fc.constantFrom(...WRITERS), drowsiness, { minKeys: 1 }),
  /** Where a client's clock stands: nothing may depend on it. */
  clockStartsAt: fc.date({ min: new Date(0), max: new Date('2199-01-01'), noInvalidDate: true }),
  seed: fc.nat(),
  /** Where PostgreSQL's clock steps meanwhile, seconds from the true time, one step after the other. */
  steps: fc.array(fc.constantFrom(-4_000, -3, -0.4, 0, 0.4, 3), { maxLength: 8 }),
});

let fixture: Fixture;
let clock: SteppingClock;
let readerUrl: string;

beforeAll(async () => {
  fixture = await setUp();
  clock = await SteppingClock.of(fixture.client);
  readerUrl = await createReader(fixture);
  await letDrowse(fixture.client);
});
afterAll(async () => {
  await dropReader(fixture, readerUrl);
  await fixture.close();
});

// Every process here believes in another time, and in a third one a moment later.
beforeAll(() => {
  const others = [
    'hrtime',
    'nextTick',
    'performance',
    'queueMicrotask',
    'setImmediate',
    'clearImmediate',
  ] as const;
  const timers = ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const;
  jest.useFakeTimers({ doNotFake: [...others, ...timers] });
});
afterAll(() => {
  jest.useRealTimers();
});

it('a client that polls misses no run, whatever is written meanwhile: until, fed back as since, leads to the final state of each', async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ sleeps, clockStartsAt, seed, steps }) => {
      await fixture.client.query('truncate runs, attempts, orders, packages');
      await clock.stepTo(0);
      jest.setSystemTime(clockStartsAt);
      const readers = await openDatabase(readerUrl);
      const pollers = [20, 150].map((pauseMs) => new Poller(readers, fixture.submitter.keyId, pauseMs));
      try {
        const writers = await writersOf(fixture, sleeps, seed);
        const polled = pollers.map((poller) => poller.poll());
        await Promise.all([writers.writeAll(), clock.walk(steps)]);
        for (const poller of pollers) poller.stop();
        await Promise.all(polled);
        for (const poller of pollers) expect(poller.lastSeen()).toEqual(await finalRuns());
      } finally {
        await readers.close();
      }
    }),
    {
      numRuns: STORIES + WRITERS.length,
      examples: WRITERS.map((name, place) => [
        {
          sleeps: { [name]: 1.2 },
          clockStartsAt: new Date(0),
          seed: 1,
          steps: place % 2 === 0 ? [] : [-0.4, -3, 3, -4_000],
        },
      ]),
      endOnFailure: true,
    },
  );
});

/** Every run as it is now, by id. */
async function finalRuns(): Promise<object[]> {
  const { rows } = await fixture.client.query<object>(
    `select run_id as "runId", state, verdict, is_private as "isPrivate", updated_at as "updatedAt"
     from runs order by run_id`,
  );
  return rows;
}
