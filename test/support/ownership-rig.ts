import type { OwnershipRegister } from '@proctor/dispatch';
import type { OwnedService } from '@apps/scheduler/src/ownership/owned-service';
import { OwnershipKeeper } from '@apps/scheduler/src/ownership/ownership-keeper';
import type { OwnershipTerm } from '@apps/scheduler/src/ownership/ownership-term';
import { MemoryBooks } from '../simulation/memory-books';
import { VirtualClock } from '../simulation/world/virtual-clock';

export const TTL_MS = 5_000;

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

/** Schedulers that share architectures by a register in memory. */
export class OwnershipRig {
  readonly clock = new VirtualClock();
  readonly books = new MemoryBooks(() => this.clock.now());
  keepers: OwnershipKeeper[] = [];
  architectures = ['amd64', 'arm64', 'riscv64', 's390x'];
  /** Schedulers without a connection to NATS. */
  readonly cutOff = new Set<string>();
  /** Whether schedulers get the signal of a release. */
  areSignalled = false;
  private readonly signalled: OwnershipKeeper[] = [];

  time(ms: number): Promise<void> {
    return this.clock.runUntil(this.clock.now() + ms);
  }

  /** Starts a scheduler. @param register instead of the register in memory */
  async start(scheduler: string, register: Partial<OwnershipRegister> = {}) {
    const owned = new Served();
    const { books } = this;
    const connection: OwnershipRegister = {
      reportAlive: (...args) => books.reportAlive(...args),
      claim: (...args) => books.claim(...args),
      release: (...args) => books.release(...args),
      stepAside: (...args) => books.stepAside(...args),
      withdraw: (...args) => books.withdraw(...args),
      ...register,
    };
    const architectures = () => this.architectures;
    const keeper = new OwnershipKeeper(connection, owned, this.clock, {
      scheduler,
      get architectures() {
        return architectures();
      },
      ownershipTtlMs: TTL_MS,
      isConnected: () => !this.cutOff.has(scheduler),
      notifyReleased: () => this.signalled.forEach((each) => each.onReleased()),
    });
    this.keepers.push(keeper);
    if (this.areSignalled) this.signalled.push(keeper);
    await keeper.start();
    return { keeper, owned };
  }

  async stop(): Promise<void> {
    await Promise.all(this.keepers.map((keeper) => keeper.stop()));
  }
}
