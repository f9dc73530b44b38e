import fc from 'fast-check';
import { runEvent } from '@test/support/run-event';
import { type EventPage, type EventSource, EventWindow, type RunEvent } from '.';

/** A transaction that has announced itself and locked the row of its run. */
interface Writing {
  runId: number;
  second: number;
  events: RunEvent[];
}

/** What PostgreSQL does with facts: ids are drawn in one order, times in another, and commits come in a third. */
class Books implements EventSource {
  readonly committed: RunEvent[] = [];
  private readonly writing: Writing[] = [];
  private nextId = 1;
  private mark = 0;
  clock = 1;

  announce(runId: number): void {
    if (this.writing.some((each) => each.runId === runId)) return;
    this.writing.push({ runId, second: Math.max(Math.floor(this.clock), this.mark), events: [] });
  }

  write(place: number): void {
    const writer = this.writing[place % Math.max(1, this.writing.length)];
    if (!writer) return;
    const seconds = Math.max(this.clock, this.mark, writer.second);
    const event = { factId: this.nextId++, runId: writer.runId, at: new Date(seconds * 1_000) };
    writer.events.push(runEvent(event));
  }

  commit(place: number): void {
    const [write] = this.writing.splice(place % Math.max(1, this.writing.length), 1);
    this.committed.push(...(write?.events ?? []));
  }

  start(second: number) {
    const horizon = Math.min(this.mark, ...this.writing.map((writer) => writer.second));
    const ids = this.committed.filter(({ at }) => at.getTime() >= second * 1_000).map(({ factId }) => factId);
    return Promise.resolve({ horizon, canRise: true, first: ids.length === 0 ? null : Math.min(...ids) });
  }

  page({ from, before, after, knownIds, limit }: EventPage) {
    const events = this.committed.filter(
      ({ factId, at }) =>
        factId > after &&
        at.getTime() >= from * 1_000 &&
        (before === null || at.getTime() < before * 1_000) &&
        !knownIds.includes(factId),
    );
    return Promise.resolve(events.sort((a, b) => a.factId - b.factId).slice(0, limit));
  }

  raise() {
    this.mark = Math.max(this.mark, Math.floor(this.clock));
    return Promise.resolve();
  }
}

/** What happens next; each page of a pass lets one more happen while it is read. */
const deeds = fc.array(
  fc.record({
    deed: fc.constantFrom('announce', 'write', 'write', 'commit', 'tick', 'read', 'again'),
    place: fc.nat(20),
  }),
  { minLength: 1, maxLength: 120 },
);

/** A client has read to the end of a second and comes again within it: the event of that second is sent twice. */
const comesAgain: [{ deed: string; place: number }[], number] = [
  ['announce', 'write', 'commit', 'read', 'again', 'read'].map((deed) => ({ deed, place: 0 })),
  4,
];

it('whatever commits while events are read, a reader misses none and has those of a run in their order', async () => {
  let repeats = 0;
  await fc.assert(
    fc.asyncProperty(deeds, fc.integer({ min: 1, max: 4 }), async (steps, pageLength) => {
      const books = new Books();
      const queue = [...steps];
      const readIds: number[] = [];
      let window = new EventWindow(0, books, pageLength);
      const change = (): void => {
        const { deed, place } = queue.shift() ?? { deed: 'commit', place: 0 };
        if (deed === 'announce') books.announce(place % 5);
        else if (deed === 'write') books.write(place);
        else if (deed === 'commit') books.commit(place);
        else if (deed === 'tick') books.clock += 0.4;
        // A client that comes again: what it was sent since then it may be sent twice.
        else if (deed === 'again') window = new EventWindow(window.second, books, pageLength);
      };
      const pass = async (): Promise<void> => {
        const latest = new Map<number, number>();
        for await (const page of window.pass()) {
          for (const { factId, runId } of page) {
            expect(factId).toBeGreaterThan(latest.get(runId) ?? 0);
            latest.set(runId, factId);
            if (readIds.includes(factId)) repeats += 1;
            else {
              const earlier = books.committed.filter((one) => one.runId === runId && one.factId < factId);
              expect(readIds).toEqual(expect.arrayContaining(earlier.map((one) => one.factId)));
            }
            readIds.push(factId);
          }
          if (queue[0]?.deed !== 'again') change();
        }
      };
      while (queue.length > 0) {
        if (queue[0]!.deed === 'read') {
          queue.shift();
          await pass();
        } else change();
      }
      for (let round = 0; round < 10; round += 1) books.commit(0);
      do await pass();
      while (window.hasMore);
      expect(new Set(readIds)).toEqual(new Set(books.committed.map(({ factId }) => factId)));
    }),
    { numRuns: 300, examples: [comesAgain] },
  );
  expect(repeats).toBeGreaterThan(0);
});
