import type { Journal } from '@proctor/dispatch';
import type { ActorSettings } from '@apps/scheduler/src/dispatcher/actor-ports';
import { DispatcherActor } from '@apps/scheduler/src/dispatcher/dispatcher-actor';
import { OwnershipTerm } from '@apps/scheduler/src/ownership/ownership-term';
import { MemoryBooks } from '../simulation/memory-books';
import { VirtualClock } from '../simulation/world/virtual-clock';
import { runRequest } from './run-request';
import { ARCH, leaseRequest, registered, settings } from './runs';

export const POLL_MS = 5_000;
export const TERM_MS = 10_000_000;
const SLOT = leaseRequest({ testbeds: [{ suite: 'bookworm', backend: 'unshare', state: 'ready' }] });

/** A dispatcher of the test's own, on books in memory; `start` it first, `end` it in any case. */
export class ActorRig {
  readonly clock = new VirtualClock();
  readonly books = new MemoryBooks(() => this.clock.now(), undefined, registered('w1', 'w2'));
  readonly signalled = jest.fn();
  readonly stopSignalled = jest.fn();
  readonly onFactsCommitted = jest.fn();
  readonly onWorkersRegistered = jest.fn();
  readonly recordSightings = jest.fn();
  readonly onEnd = jest.fn();
  term!: OwnershipTerm;
  actor!: DispatcherActor;

  /** @param journal replaces methods of the books */
  async start(journal: Partial<Journal> = {}, changes: Partial<ActorSettings> = {}): Promise<void> {
    await this.books.release(ARCH, 's1');
    const ownership = await this.books.claim(ARCH, 's1', TERM_MS);
    if (!ownership) throw new Error('the architecture could not be claimed');
    this.term = new OwnershipTerm(ownership, this.clock, this.onEnd);
    this.term.setEnd(this.clock.now() + TERM_MS);
    const ports = {
      ...{ journal: this.wrapped(journal), clock: this.clock, isReachable: () => true },
      ...{ signalWorkWaiting: this.signalled, signalStop: this.stopSignalled },
      onFactsCommitted: this.onFactsCommitted,
      onWorkersRegistered: this.onWorkersRegistered,
      recordSightings: this.recordSightings,
    };
    this.actor = new DispatcherActor(this.term, ports, this.settings(changes));
    await this.time(0);
  }

  async end(): Promise<void> {
    await this.actor.stop();
    this.term.close();
  }

  settings(changes: Partial<ActorSettings> = {}): ActorSettings {
    return {
      ...{ arrivalPollMs: POLL_MS, arrivalsPerTurnMax: 2, mailboxLengthMax: 100, turnMessagesMax: 10 },
      ...{
        reloadDelayMs: 1_000,
        turnTimeoutMs: 2_000,
        loadTimeoutMs: 60_000,
        dispatch: settings(),
        ...changes,
      },
    };
  }

  time(ms: number): Promise<void> {
    return this.clock.runUntil(this.clock.now() + ms);
  }

  /** A run that no dispatcher has ingested. @returns its id */
  readonly accept = (): number => {
    const row = this.books.draw(runRequest());
    row.committed = true;
    return row.runId;
  };

  /** Whether the run waits in the actor's memory. */
  async knows(runId: number): Promise<boolean> {
    return (await this.position(runId)) !== null;
  }

  /** The place of a run in the order of grants, from 1; null if the run is not known to wait. */
  async position(runId: number): Promise<number | null> {
    const answer = this.actor.request({ kind: 'explain', runId });
    await this.time(0);
    return (await answer).position;
  }

  ask(slot = 0) {
    return this.actor.request({ kind: 'lease', request: { ...SLOT, slot } });
  }

  private wrapped(journal: Partial<Journal>): Journal {
    const { books } = this;
    return {
      load: (arch, halfLifeMs, perLineMax) => books.load(arch, halfLifeMs, perLineMax),
      nextOfLine: (arch, after, limit) => books.nextOfLine(arch, after, limit),
      countBeyond: (arch, stretches, limits) => books.countBeyond(arch, stretches, limits),
      lastBeyond: (arch, edges) => books.lastBeyond(arch, edges),
      listUnfinished: (arch, runIds) => books.listUnfinished(arch, runIds),
      restrictions: (arch) => books.restrictions(arch),
      workers: () => books.workers(),
      arrivals: (arch, limit, position) => books.arrivals(arch, limit, position),
      orders: (arch, limit) => books.orders(arch, limit),
      commit: (arch, epoch, writes) => books.commit(arch, epoch, writes),
      reportState: (attempt) => books.reportState(attempt),
      ...journal,
    };
  }
}
