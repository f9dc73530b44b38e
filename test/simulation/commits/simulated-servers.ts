import type { CommitWitness, TransactionIdentity } from '@libs/database/src/kit/commit-search';
import type { Random } from '../world/random';

const HOUR_MS = 3_600_000;

/** What a server knows of its transactions. Each is known to the test by a number that no other one has. */
interface Transactions {
  /** The id that the next transaction is given. */
  next: number;
  /** Id → number. */
  committed: ReadonlyMap<number, number>;
}

/** What the product asks a server for to recognise it. */
export interface ServerParts {
  cluster: number;
  timeline: number;
  startedAtMs: number;
  /** It has kept its statistics since then: it drops them when it recovers from a crash, and keeps them at an orderly stop. */
  statisticsSinceMs: number;
}

/** How the product recognises a server. */
export type IdentityOf = (parts: ServerParts) => string;

type Copy = Pick<ServerParts, 'statisticsSinceMs'> & { transactions: Transactions };

/**
 * The server at the address of the database, as far as ids of transactions go: it crashes, is restored, replaced and started
 * again, and gives ids again that it has forgotten.
 */
export class SimulatedServers {
  /** A connection belongs to one of them. */
  private life = 1;
  private nowMs = 0;
  private parts: ServerParts = { cluster: 1, timeline: 1, startedAtMs: 0, statisticsSinceMs: 0 };
  /** What a crash leaves. */
  private onDisk: Transactions = { next: 1, committed: new Map() };
  private inMemory: Transactions = this.onDisk;
  /** Id → number. */
  private open = new Map<number, number>();
  private numbers = 0;
  private backup: Copy = this.copy();

  constructor(
    private readonly random: Random,
    private readonly identityOf: IdentityOf,
  ) {}

  /** One that is open. */
  begin(): TransactionIdentity & { number: number } {
    const id = this.inMemory.next;
    const number = ++this.numbers;
    this.inMemory = { ...this.inMemory, next: id + 1 };
    this.open.set(id, number);
    return { server: this.identityOf(this.parts), id: String(id), processId: id, number };
  }

  /** Its answer is lost, whatever becomes of it. */
  commit(id: string): void {
    const number = this.open.get(Number(id));
    if (number === undefined) return;
    this.open.delete(Number(id));
    const committed = new Map(this.inMemory.committed).set(Number(id), number);
    this.inMemory = this.onDisk = { ...this.inMemory, committed };
  }

  hasCommitted(number: number): boolean {
    return [...this.inMemory.committed.values()].includes(number);
  }

  isOpen(number: number): boolean {
    return [...this.open.values()].includes(number);
  }

  /** Time passes, others commit, and in some cases the server is not the same afterwards. */
  goOn(): void {
    const { random } = this;
    this.nowMs += random.between(1, HOUR_MS);
    for (let others = random.between(0, 4); others >= 1; others -= 1) this.commit(this.begin().id);
    if (random.chance(0.3)) random.pick(this.calamities)();
  }

  /** A connection of now. */
  witness(): CommitWitness {
    const { life } = this;
    const whenReachable = <T>(answer: () => T): Promise<T> => {
      if (this.random.chance(0.2)) this.goOn();
      if (this.life === life) return Promise.resolve(answer());
      return Promise.reject(Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' }));
    };
    return {
      server: () => whenReachable(() => this.identityOf(this.parts)),
      statusOf: (id) => whenReachable(() => this.statusOf(Number(id))),
      terminate: ({ processId }) => whenReachable(() => void this.open.delete(processId)),
      end: () => Promise.resolve(),
    };
  }

  private statusOf(id: number): string {
    if (id >= this.inMemory.next) throw new Error(`transaction ID ${id} is in the future`);
    if (this.open.has(id)) return 'in progress';
    return this.inMemory.committed.has(id) ? 'committed' : 'aborted';
  }

  private get calamities(): (() => void)[] {
    const { nowMs } = this;
    return [
      () => void (this.nowMs -= this.random.between(0, 5 * HOUR_MS)),
      () => void (this.backup = this.copy()),
      // The server crashes, then one of its processes alone.
      () => this.begins(this.afterCrash(), { startedAtMs: nowMs, statisticsSinceMs: nowMs }),
      () => this.begins(this.afterCrash(), { statisticsSinceMs: nowMs }),
      () => this.begins(this.inMemory, { startedAtMs: nowMs }),
      // Files that were copied while it was stopped, then while it ran.
      () => this.restore({ statisticsSinceMs: this.backup.statisticsSinceMs }),
      () => this.restore({ statisticsSinceMs: nowMs }),
      () => this.failOver(),
      // pg_resetwal.
      () => this.begins({ ...this.inMemory, next: this.idOfThePast() }, { startedAtMs: nowMs }),
      () => this.replace(),
    ];
  }

  private copy(): Copy {
    return { transactions: this.inMemory, statisticsSinceMs: this.parts.statisticsSinceMs };
  }

  /** Whatever was open is gone, and some of its ids are given again. */
  private afterCrash(): Transactions {
    const { onDisk, inMemory, random } = this;
    return { ...onDisk, next: Math.floor(random.between(onDisk.next, inMemory.next + 1)) };
  }

  private restore(changes: Partial<ServerParts>): void {
    this.begins(this.backup.transactions, { startedAtMs: this.nowMs, ...changes });
  }

  /** A standby that has not received everything; it may have been started together with the primary. */
  private failOver(): void {
    const { timeline, startedAtMs } = this.parts;
    const since = this.random.chance(0.5) ? {} : { startedAtMs: startedAtMs - 1 };
    this.begins(this.backup.transactions, { timeline: timeline + 1, ...since });
  }

  /** Another cluster answers at the address: it may have been begun at the same moment. */
  private replace(): void {
    const { cluster } = this.parts;
    this.begins(this.backup.transactions, { cluster: cluster + 1 });
  }

  private idOfThePast(): number {
    return Math.floor(this.random.between(1, this.inMemory.next));
  }

  private begins(transactions: Transactions, changes: Partial<ServerParts>): void {
    this.life += 1;
    this.parts = { ...this.parts, ...changes };
    this.open = new Map();
    // An id that is given again has no end yet.
    const committed = new Map([...transactions.committed].filter(([id]) => id < transactions.next));
    this.inMemory = this.onDisk = { ...transactions, committed };
  }
}
