import type { OwnershipRegister } from '@proctor/dispatch';
import { MemoryBooks } from '@test/simulation/memory-books';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { OwnershipKeeper } from './ownership-keeper';
import type { OwnedService } from './owned-service';
import type { OwnershipTerm } from './ownership-term';
import { silenceLog } from '@test/support/silent-log';

const TTL_MS = 5_000;

/** Remembers what it serves. */
class Served implements OwnedService {
  readonly terms = new Map<string, OwnershipTerm>();
  start(term: OwnershipTerm): Promise<void> {
    this.terms.set(term.arch, term);
    return Promise.resolve();
  }
  stop({ arch }: OwnershipTerm): Promise<void> {
    this.terms.delete(arch);
    return Promise.resolve();
  }
  abandon({ arch }: OwnershipTerm): void {
    this.terms.delete(arch);
  }
  get architectures(): string[] {
    return [...this.terms.keys()].sort();
  }
}

silenceLog();

describe('OwnershipKeeper', () => {
  let clock: VirtualClock;
  let books: MemoryBooks;
  let keepers: OwnershipKeeper[];
  let architectures: string[];
  /** Schedulers without a connection to NATS. */
  let cutOff: Set<string>;
  /** What schedulers do at the signal of a release. */
  let signals: (() => void)[];
  let hearing: boolean;

  beforeEach(() => {
    clock = new VirtualClock();
    books = new MemoryBooks(() => clock.now());
    keepers = [];
    cutOff = new Set();
    [signals, hearing] = [[], false];
    architectures = ['amd64', 'arm64', 'riscv64', 's390x'];
  });
  afterEach(async () => {
    await Promise.all(keepers.map((keeper) => keeper.stop()));
  });

  const time = (ms: number) => clock.runUntil(clock.now() + ms);

  async function start(scheduler: string, register: Partial<OwnershipRegister> = {}) {
    const owned = new Served();
    const connection: OwnershipRegister = {
      reportAlive: (...args) => books.reportAlive(...args),
      claim: (...args) => books.claim(...args),
      release: (...args) => books.release(...args),
      stepAside: (...args) => books.stepAside(...args),
      withdraw: (...args) => books.withdraw(...args),
      ...register,
    };
    const keeper = new OwnershipKeeper(connection, owned, clock, {
      scheduler,
      get architectures() {
        return architectures;
      },
      ownershipTtlMs: TTL_MS,
      isConnected: () => !cutOff.has(scheduler),
      notifyReleased: () => signals.forEach((listener) => listener()),
    });
    keepers.push(keeper);
    if (hearing) signals.push(() => keeper.onReleased());
    await keeper.start();
    return { keeper, owned };
  }

  it('a scheduler owns everything while it is alone, and half when another comes', async () => {
    const first = await start('s1');
    expect(first.owned.architectures).toHaveLength(4);
    const second = await start('s2');
    await time(TTL_MS);
    expect(first.owned.architectures).toHaveLength(2);
    expect(second.owned.architectures).toHaveLength(2);
    expect(new Set([...first.owned.architectures, ...second.owned.architectures]).size).toBe(4);
  });

  it('a scheduler follows the architectures that the deployment has', async () => {
    const { owned } = await start('s1');
    architectures = ['amd64', 'arm64', 'i386'];
    await time(TTL_MS);
    expect(owned.architectures).toEqual(['amd64', 'arm64', 'i386']);
    expect((await start('s2')).owned.architectures).not.toContain('s390x');
  });

  it('a claim with a late answer serves no architecture that the deployment no longer has, and leaves it to others', async () => {
    let answer = () => undefined as void;
    let isSlow = false;
    const { owned } = await start('s1', {
      claim: async (...args) => {
        if (args[0] === 's390x' && isSlow) await new Promise<void>((resolve) => (answer = resolve));
        return books.claim(...args);
      },
    });
    isSlow = true;
    architectures = ['amd64', 'arm64', 'riscv64'];
    await time(TTL_MS / 2);
    expect(owned.architectures).toEqual(architectures);
    const started = jest.spyOn(owned, 'start');
    answer();
    await time(TTL_MS / 10);
    expect(owned.architectures).toEqual(architectures);
    expect(started).not.toHaveBeenCalled();
    expect(await books.claim('s390x', 's2', TTL_MS)).not.toBeNull();
  });

  it('a claim with an answer after the stop serves nothing, and leaves the architecture to others', async () => {
    let answer = () => undefined as void;
    let isSlow = false;
    const { keeper, owned } = await start('s1', {
      claim: async (...args) => {
        if (args[0] === 's390x' && isSlow) await new Promise<void>((resolve) => (answer = resolve));
        return books.claim(...args);
      },
    });
    isSlow = true;
    await time(TTL_MS / 3);
    await keeper.stop();
    const started = jest.spyOn(owned, 'start');
    answer();
    await time(TTL_MS / 10);
    expect(started).not.toHaveBeenCalled();
    expect(await books.claim('s390x', 's2', TTL_MS)).not.toBeNull();
  });

  it('a scheduler leaves everything to the others when the workers cannot reach it, and takes its part again when they can', async () => {
    const first = await start('s1');
    const second = await start('s2');
    await time(TTL_MS);
    cutOff.add('s1');
    await time(TTL_MS);
    expect(first.owned.architectures).toHaveLength(2);
    await time(3 * TTL_MS);
    expect(first.owned.architectures).toEqual([]);
    expect(second.owned.architectures).toEqual(architectures);
    cutOff.clear();
    await time(2 * TTL_MS);
    expect(first.owned.architectures).toHaveLength(2);
    expect(second.owned.architectures).toHaveLength(2);
  });

  it('a scheduler keeps what it owns when the workers can reach no other scheduler either', async () => {
    const first = await start('s1');
    const second = await start('s2');
    await time(TTL_MS);
    const [ours, theirs] = [first.owned.architectures, second.owned.architectures];
    cutOff = new Set(['s1', 's2']);
    await time(10 * TTL_MS);
    expect([first.owned.architectures, second.owned.architectures]).toEqual([ours, theirs]);
    const alone = await start('s3');
    await time(TTL_MS);
    expect(alone.owned.architectures).toEqual(architectures);
  });

  it('a scheduler hands over at once when it is stopped', async () => {
    const { keeper } = await start('s1');
    await keeper.stop();
    expect((await start('s2')).owned.architectures).toHaveLength(4);
  });

  it('a scheduler with the signal of a release takes over at once what the leaving one releases, all of it', async () => {
    hearing = true;
    const first = await start('s1');
    const second = await start('s2');
    await time(2 * TTL_MS);
    expect([first.owned.architectures, second.owned.architectures].map(({ length }) => length)).toEqual([
      2, 2,
    ]);
    await first.keeper.stop();
    await time(0);
    expect(second.owned.architectures).toEqual(architectures);
  });

  it('a new scheduler gets the signal of what it may have, and claims it at once', async () => {
    hearing = true;
    await start('s1');
    const second = await start('s2');
    await time(TTL_MS / 3);
    expect(second.owned.architectures).toHaveLength(2);
  });

  it('a scheduler keeps the epoch as long as it renews', async () => {
    const { owned } = await start('s1');
    const term = owned.terms.get('amd64');
    await time(20 * TTL_MS);
    expect(owned.terms.get('amd64')).toBe(term);
    expect(term?.holds()).toBe(true);
  });

  it('a scheduler that cannot renew abandons an ownership by its own clock, before another can have it', async () => {
    let isAway = false;
    const { owned } = await start('s1', {
      claim: (...args) => (isAway ? new Promise(() => undefined) : books.claim(...args)),
    });
    keepers = [];
    isAway = true;
    const latestRenewalMs = clock.now();
    await time(TTL_MS - 1);
    expect(clock.now() - latestRenewalMs).toBeLessThan(TTL_MS);
    expect(owned.architectures).toEqual([]);
  });

  it('a scheduler takes over within two times the time-to-live when another dies, under a higher epoch', async () => {
    let isDead = false;
    const dead = () => new Promise<never>(() => undefined);
    const first = await start('s1', {
      claim: (...args) => (isDead ? dead() : books.claim(...args)),
      reportAlive: (...args) => (isDead ? dead() : books.reportAlive(...args)),
      release: (...args) => (isDead ? dead() : books.release(...args)),
    });
    const epoch = first.owned.terms.get('amd64')?.epoch ?? 0;
    const second = await start('s2');
    keepers.shift();
    isDead = true;
    await time(2 * TTL_MS);
    expect(second.owned.architectures).toHaveLength(4);
    expect(second.owned.terms.get('amd64')?.epoch).toBeGreaterThan(epoch);
  });

  it('a scheduler gives up what it cannot serve', async () => {
    const { owned } = await start('s1');
    const term = owned.terms.get('amd64');
    term?.abandon('the bus refuses');
    expect(term?.holds()).toBe(false);
    expect(owned.architectures).not.toContain('amd64');
    await time(TTL_MS);
    expect(owned.terms.get('amd64')?.epoch).toBeGreaterThan(term?.epoch ?? 0);
  });

  describe('hanging calls to the database', () => {
    const hung = () => new Promise<never>(() => undefined);

    it('a scheduler goes on renewing its other ownerships while the renewal of one hangs', async () => {
      let hanging = '';
      const { owned } = await start('s1', {
        claim: (arch, ...args) => (arch === hanging ? hung() : books.claim(arch, ...args)),
      });
      hanging = 'amd64';
      await time(10 * TTL_MS);
      expect(owned.architectures).toEqual(['arm64', 'riscv64', 's390x']);
      hanging = '';
      await time(2 * TTL_MS);
      expect(owned.architectures).toHaveLength(4);
    });

    it.each(['reportAlive', 'release'] as const)(
      'a scheduler goes on renewing while %s hangs',
      async (call) => {
        let isHanging = false;
        const { owned } = await start('s1', {
          [call]: (...args: [string, never]) => (isHanging ? hung() : books[call](...args)),
        });
        const term = owned.terms.get('arm64');
        isHanging = true;
        owned.terms.get('amd64')?.abandon('it is tried out');
        await time(10 * TTL_MS);
        expect(owned.terms.get('arm64')).toBe(term);
        expect(term?.holds()).toBe(true);
        isHanging = false;
        await time(2 * TTL_MS);
        expect(owned.architectures).toHaveLength(4);
      },
    );

    it('a scheduler owns an abandoned architecture again, though the end of the term before hangs', async () => {
      const { owned } = await start('s1');
      const term = owned.terms.get('amd64')!;
      const end = owned.stop.bind(owned);
      owned.stop = hung;
      architectures = ['arm64', 'riscv64', 's390x'];
      await time(TTL_MS / 2);
      architectures = ['amd64', ...architectures];
      await time(3 * TTL_MS);
      owned.stop = end;
      expect(owned.terms.get('amd64')?.epoch).toBeGreaterThan(term.epoch);
      expect(owned.architectures).toHaveLength(4);
    });

    it('a renewal that is answered after a later one changes nothing', async () => {
      const answers: (() => void)[] = [];
      let isSlow = false;
      const { owned } = await start('s1', {
        claim: async (...args) => {
          const claimed = await books.claim(...args);
          if (isSlow) await new Promise<void>((resolve) => answers.push(resolve));
          return claimed;
        },
      });
      const term = owned.terms.get('amd64');
      isSlow = true;
      await time(TTL_MS / 3);
      isSlow = false;
      await time(TTL_MS / 3);
      for (const answer of answers) answer();
      await time(TTL_MS / 2);
      expect(owned.terms.get('amd64')).toBe(term);
      expect(term?.holds()).toBe(true);
    });
  });
});
