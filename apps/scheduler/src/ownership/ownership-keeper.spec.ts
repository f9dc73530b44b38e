import type { OwnershipRegister } from '@proctor/dispatch';
import { MemoryBooks } from '../../../../test/simulation/memory-books';
import { VirtualClock } from '../../../../test/simulation/world/virtual-clock';
import { OwnershipKeeper } from './ownership-keeper';
import type { Realm } from './realm';
import type { Tenure } from './tenure';
import { silenceLog } from '../../../../test/support/silent-log';

const TTL_MS = 5_000;

/** Remembers what it serves. */
class Served implements Realm {
  readonly tenures = new Map<string, Tenure>();
  begin(tenure: Tenure): Promise<void> {
    this.tenures.set(tenure.arch, tenure);
    return Promise.resolve();
  }
  end({ arch }: Tenure): Promise<void> {
    this.tenures.delete(arch);
    return Promise.resolve();
  }
  abandon({ arch }: Tenure): void {
    this.tenures.delete(arch);
  }
  get architectures(): string[] {
    return [...this.tenures.keys()].sort();
  }
}

silenceLog();

describe('OwnershipKeeper', () => {
  let clock: VirtualClock;
  let books: MemoryBooks;
  let keepers: OwnershipKeeper[];
  let architectures: string[];

  beforeEach(() => {
    clock = new VirtualClock();
    books = new MemoryBooks(() => clock.now());
    keepers = [];
    architectures = ['amd64', 'arm64', 'riscv64', 's390x'];
  });
  afterEach(async () => {
    await Promise.all(keepers.map((keeper) => keeper.stop()));
  });

  const time = (ms: number) => clock.runUntil(clock.now() + ms);

  async function start(scheduler: string, register: Partial<OwnershipRegister> = {}) {
    const realm = new Served();
    const connection: OwnershipRegister = {
      announce: (...args) => books.announce(...args),
      claim: (...args) => books.claim(...args),
      release: (...args) => books.release(...args),
      withdraw: (...args) => books.withdraw(...args),
      ...register,
    };
    const keeper = new OwnershipKeeper(connection, realm, clock, {
      scheduler,
      get architectures() {
        return architectures;
      },
      ownershipTtlMs: TTL_MS,
    });
    keepers.push(keeper);
    await keeper.start();
    return { keeper, realm };
  }

  it('owns everything while it is alone, and half when another comes', async () => {
    const first = await start('s1');
    expect(first.realm.architectures).toHaveLength(4);
    const second = await start('s2');
    await time(TTL_MS);
    expect(first.realm.architectures).toHaveLength(2);
    expect(second.realm.architectures).toHaveLength(2);
    expect(new Set([...first.realm.architectures, ...second.realm.architectures]).size).toBe(4);
  });

  it('follows the architectures that the deployment has', async () => {
    const { realm } = await start('s1');
    architectures = ['amd64', 'arm64', 'i386'];
    await time(TTL_MS);
    expect(realm.architectures).toEqual(['amd64', 'arm64', 'i386']);
    expect((await start('s2')).realm.architectures).not.toContain('s390x');
  });

  it('hands over at once when it is stopped', async () => {
    const { keeper } = await start('s1');
    await keeper.stop();
    expect((await start('s2')).realm.architectures).toHaveLength(4);
  });

  it('keeps the epoch as long as it renews', async () => {
    const { realm } = await start('s1');
    const tenure = realm.tenures.get('amd64');
    await time(20 * TTL_MS);
    expect(realm.tenures.get('amd64')).toBe(tenure);
    expect(tenure?.holds()).toBe(true);
  });

  it('abandons by its own clock, before the ownership can be another’s, when it cannot renew', async () => {
    let isAway = false;
    const { realm } = await start('s1', {
      claim: (...args) => (isAway ? new Promise(() => undefined) : books.claim(...args)),
    });
    keepers = [];
    isAway = true;
    const latestRenewalMs = clock.now();
    await time(TTL_MS - 1);
    expect(clock.now() - latestRenewalMs).toBeLessThan(TTL_MS);
    expect(realm.architectures).toEqual([]);
  });

  it('takes over within two times the time-to-live when another dies, under a higher epoch', async () => {
    let isDead = false;
    const dead = () => new Promise<never>(() => undefined);
    const first = await start('s1', {
      claim: (...args) => (isDead ? dead() : books.claim(...args)),
      announce: (...args) => (isDead ? dead() : books.announce(...args)),
      release: (...args) => (isDead ? dead() : books.release(...args)),
    });
    const epoch = first.realm.tenures.get('amd64')?.epoch ?? 0;
    const second = await start('s2');
    keepers.shift();
    isDead = true;
    await time(2 * TTL_MS);
    expect(second.realm.architectures).toHaveLength(4);
    expect(second.realm.tenures.get('amd64')?.epoch).toBeGreaterThan(epoch);
  });

  it('gives up what cannot be served', async () => {
    const { realm } = await start('s1');
    const tenure = realm.tenures.get('amd64');
    tenure?.giveUp('the bus refuses');
    expect(tenure?.holds()).toBe(false);
    expect(realm.architectures).not.toContain('amd64');
    await time(TTL_MS);
    expect(realm.tenures.get('amd64')?.epoch).toBeGreaterThan(tenure?.epoch ?? 0);
  });
});
