import { NoAnswer } from '@proctor/bus';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import type { Fact } from '@proctor/contracts';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { ARCH } from '@test/support/runs';
import { silenceLog } from '@test/support/silent-log';
import { OwnershipTerm } from '../ownership/ownership-term';
import { FactPublishers } from './fact-publishers';

const SETTINGS = { pollMs: 5_000, pauseMs: 100, factsPerLookMax: 3 };
const TERM_MS = 10_000_000;

silenceLog();

describe('FactPublisher', () => {
  let clock: VirtualClock;
  let bus: MemoryBus;
  let term: OwnershipTerm;
  let publishers: FactPublishers;
  /** The rows: those not published yet. */
  let rows: Fact[];
  let isAway: boolean;
  const looks = jest.fn();

  beforeEach(async () => {
    clock = new VirtualClock();
    bus = new MemoryBus(new MemoryBroker({ clock }));
    term = new OwnershipTerm({ arch: ARCH, epoch: 1 }, clock, jest.fn());
    term.setEnd(clock.now() + TERM_MS);
    rows = [];
    isAway = false;
    looks.mockReset();
    const facts = {
      listUnpublished: (arch: string, limit: number) => {
        looks();
        if (isAway) return Promise.reject(new Error('away'));
        return Promise.resolve(rows.filter((row) => row.arch === arch).slice(0, limit));
      },
      markPublished: (publishedFacts: Pick<Fact, 'factId'>[]) => {
        if (isAway) return Promise.reject(new Error('away'));
        rows = rows.filter(({ factId }) => !publishedFacts.some((fact) => fact.factId === factId));
        return Promise.resolve();
      },
    };
    publishers = new FactPublishers(facts, bus, clock, () => SETTINGS);
    await publishers.start(term);
    await time(1_000);
  });
  afterEach(() => publishers.stop(term));

  const time = (ms: number) => clock.runUntil(clock.now() + ms);

  function happens(factId: number, runId = 1, arch = ARCH): void {
    rows.push({
      factId,
      runId,
      arch,
      suite: 'trixie',
      kind: 'granted',
      state: 'leased',
      attempt: 1,
      actor: 'scheduler',
      reason: null,
      verdict: null,
      at: '2026-01-01T00:00:00.000Z',
    });
  }

  async function published(): Promise<number[]> {
    const ids: number[] = [];
    const abort = new AbortController();
    const reading = (async () => {
      for await (const { factId } of bus.readEvents(ARCH, abort.signal)) ids.push(factId);
    })();
    await time(0);
    abort.abort();
    await reading;
    return ids;
  }

  it('committed facts are published at a signal, or else at the next poll', async () => {
    happens(1);
    await time(50);
    expect(await published()).toEqual([]);
    publishers.onFactsCommitted(ARCH);
    await time(0);
    expect(await published()).toEqual([1]);
    happens(2);
    happens(3, 1, 'riscv64');
    publishers.onFactsCommitted('riscv64');
    await time(SETTINGS.pollMs);
    expect(await published()).toEqual([1, 2]);
    expect(rows.map(({ factId }) => factId)).toEqual([3]);
  });

  it('a publisher publishes more facts than one look finds, look after look', async () => {
    for (let id = 1; id <= 10; id++) happens(id, id % 4);
    publishers.onFactsCommitted(ARCH);
    await time(0);
    expect((await published()).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(rows).toEqual([]);
  });

  it('while more facts wait, a publisher rests after each look for as long as that took', async () => {
    const publish = bus.publishEvent.bind(bus);
    const beganAt: number[] = [];
    jest.spyOn(bus, 'publishEvent').mockImplementation(async (fact) => {
      if (fact.factId % 3 === 1) beganAt.push(clock.now());
      await new Promise<void>((resolve) => clock.after(40, resolve));
      await publish(fact);
    });
    for (let id = 1; id <= 9; id++) happens(id, id);
    const from = clock.now();
    publishers.onFactsCommitted(ARCH);
    await time(1_000);
    expect(beganAt.map((at) => at - from)).toEqual([0, 80, 160]);
    expect(rows).toEqual([]);
  });

  it('many signals in a short while cause one look', async () => {
    publishers.onFactsCommitted(ARCH);
    await time(0);
    looks.mockClear();
    for (let word = 0; word < 20; word++) {
      publishers.onFactsCommitted(ARCH);
      await time(4);
    }
    await time(100);
    expect(looks).toHaveBeenCalledTimes(1);
  });

  it('a later fact of a run is never published before an earlier one, while other runs go on', async () => {
    const publish = bus.publishEvent.bind(bus);
    let refusals = 1;
    jest.spyOn(bus, 'publishEvent').mockImplementation((fact) => {
      return fact.factId === 1 && refusals-- > 0 ? Promise.reject(new NoAnswer('no')) : publish(fact);
    });
    happens(1, 7);
    happens(2, 8);
    happens(3, 7);
    publishers.onFactsCommitted(ARCH);
    await time(0);
    expect(await published()).toEqual([2]);
    await time(SETTINGS.pollMs);
    expect(await published()).toEqual([2, 1, 3]);
    expect(rows).toEqual([]);
  });

  it('a fact that could not be marked is published again, and the stream has it once', async () => {
    happens(1);
    jest.spyOn(bus, 'publishEvent').mockImplementationOnce((fact) => {
      isAway = true;
      return bus.publishEvent(fact);
    });
    publishers.onFactsCommitted(ARCH);
    await time(0);
    isAway = false;
    happens(2);
    await time(SETTINGS.pollMs);
    expect(await published()).toEqual([1, 2]);
    expect(rows).toEqual([]);
  });

  it('a publisher publishes nothing after its term, whether it is stopped or notices by itself', async () => {
    term.setEnd(clock.now());
    happens(1);
    publishers.onFactsCommitted(ARCH);
    await time(2 * SETTINGS.pollMs);
    expect(await published()).toEqual([]);
    publishers.abandon(term);
    publishers.onFactsCommitted(ARCH);
    await time(2 * SETTINGS.pollMs);
    expect(await published()).toEqual([]);
    expect(rows).toHaveLength(1);
  });
});
