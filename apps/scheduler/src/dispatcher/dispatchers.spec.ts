import type { Write } from '@proctor/dispatch';
import { MemoryBooks } from '@test/simulation/memory-books';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { actorSettings } from '@test/simulation/world/plan';
import { ARCH, leaseRequest } from '@test/support/runs';
import { silenceLog } from '@test/support/silent-log';
import { OwnershipTerm } from '../ownership/ownership-term';
import { DispatcherActor } from './dispatcher-actor';
import { Dispatchers } from './dispatchers';
import { NotOwner } from './not-handled';

const TTL_MS = 5_000;

silenceLog();

describe('Dispatchers', () => {
  const signalled = jest.fn();
  let clock: VirtualClock;
  let books: MemoryBooks;
  let served: string[];
  let dispatchers: Dispatchers;
  let hang: (writes: Write[]) => boolean;

  beforeEach(() => {
    signalled.mockReset();
    clock = new VirtualClock();
    books = new MemoryBooks(() => clock.now());
    served = [];
    hang = () => false;
    const hung = () => new Promise<never>(() => undefined);
    const ports = {
      clock,
      journal: Object.assign(Object.create(books) as MemoryBooks, {
        commit: (arch: string, epoch: number, writes: Write[]) =>
          hang(writes) ? hung() : books.commit(arch, epoch, writes),
      }),
      isReachable: () => true,
      signalWorkWaiting: signalled,
      signalStop: signalled,
      onFactsCommitted: signalled,
      onWorkersRegistered: signalled,
      recordSightings: signalled,
    };
    const serving = {
      serve: (arch: string) => void served.push(`serve ${arch}`),
      // As when a handler in progress never ends.
      withdraw: (arch: string) => {
        served.push(`withdraw ${arch}`);
        return hung();
      },
      listWaitingReports: () => Promise.resolve([]),
      prepareReports: () => Promise.resolve(),
    };
    const settings = { ...actorSettings(1, 'calm'), turnTimeoutMs: 1_000_000 };
    dispatchers = new Dispatchers(serving, (term) => new DispatcherActor(term, ports, settings), clock);
  });

  const time = (ms: number) => clock.runUntil(clock.now() + ms);

  async function own(): Promise<OwnershipTerm> {
    await books.release(ARCH, 's1');
    const term = new OwnershipTerm((await books.claim(ARCH, 's1', TTL_MS))!, clock, () => undefined);
    term.setEnd(clock.now() + TTL_MS);
    return term;
  }

  it('an abandoned architecture is served again at once, though a turn and a handler of the term before hang', async () => {
    const before = await own();
    await dispatchers.start(before);
    await time(0);
    hang = (writes) => writes.length > 0;
    books.decisions.trust([ARCH], 'w9', 'ada', null);
    dispatchers.readOrdersSoon(ARCH);
    const request = dispatchers.request(ARCH, { kind: 'lease', request: leaseRequest() });
    await time(0);
    before.abandon('its commit hangs');
    dispatchers.abandon(before);
    signalled.mockReset();
    hang = () => false;
    const term = await own();
    await dispatchers.start(term);
    await time(0);
    const reply = await dispatchers.request(ARCH, { kind: 'status' });
    expect(reply.epoch).toBe(term.epoch);
    expect(served).toEqual([`serve ${ARCH}`, `withdraw ${ARCH}`, `serve ${ARCH}`]);
    const rejection = expect(request).rejects.toThrow(NotOwner);
    await time(1_001_000);
    await rejection;
    term.close();
    dispatchers.abandon(term);
  });
});
