import { MemoryBroker } from '@proctor/bus';
import { SUBJECTS, subjectOf, type Subject } from '@proctor/contracts';
import type { ActorSettings } from '../../../apps/scheduler/src/dispatcher/dispatcher-actor';
import { request } from '../../contract/journal.contract';
import { settings } from '../../support/runs';
import { MemoryBooks } from '../memory-books';
import { Canceller } from './canceller';
import { Checks } from './checks';
import { Faults } from './faults';
import type { Database } from './faulty-books';
import { MemoryStore } from './memory-store';
import { ProcessBus } from './process-bus';
import { Random } from './random';
import { SimulatedProcess } from './simulated-process';
import { SimulatedScheduler, type SchedulerParts } from './simulated-scheduler';
import { SimulatedWorker, type WorkerParts } from './simulated-worker';
import { VirtualClock } from './virtual-clock';

const ARCHITECTURES = ['amd64', 'arm64'];
const SUITES = ['trixie', 'sid'];
const RUNS = 24;
const CANCELLATIONS = 4;
const CHAOS_MS = 400_000;
const SUBMISSION_MS = 200_000;
/** A run that has not ended this long after the last fault is lost. */
const HEALING_MS = 3_600_000;

/** In some seeds a run has one attempt only. */
function actorSettings(seed: number): ActorSettings {
  return {
    arrivalPollMs: 5_000,
    arrivalsPerTurnMax: 10,
    mailboxLengthMax: 1_000,
    turnMessagesMax: 100,
    reloadDelayMs: 1_000,
    dispatch: settings({ attemptsMax: seed % 5 === 0 ? 1 : 3 }),
  };
}

export interface SimulationResult {
  seed: number;
  violations: string[];
  faults: ReadonlyMap<string, number>;
  /** What was done, by name, and how often: a run of seeds that never did it proves nothing about it. */
  deeds: ReadonlyMap<string, number>;
  trace: string[];
}

/** Runs one seed: runs are submitted while everything goes wrong, then everything works again and all must end. */
export async function simulate(seed: number, onTrace?: (line: string) => void): Promise<SimulationResult> {
  return new Simulation(seed, onTrace).run();
}

class Simulation {
  private readonly clock = new VirtualClock();
  private readonly random: Random;
  private readonly faults: Faults;
  private readonly checks: Checks;
  private readonly database: Database;
  private readonly broker: MemoryBroker;
  private readonly store = new MemoryStore();
  private readonly schedulers = new Map<string, SimulatedScheduler>();
  private readonly workers = new Map<string, SimulatedWorker>();
  private readonly workerParts: WorkerParts[];
  private readonly deeds = new Map<string, number>();
  private readonly trace: string[] = [];
  private readonly api: ProcessBus;
  private readonly canceller: Canceller;
  private lives = 0;

  constructor(
    private readonly seed: number,
    private readonly onTrace: (line: string) => void = () => undefined,
  ) {
    this.random = new Random(seed);
    this.faults = new Faults(this.random);
    this.checks = new Checks((violation) => this.note(`VIOLATION: ${violation}`));
    const books = new MemoryBooks(
      () => this.clock.now(),
      (write, row, epoch) => {
        const { kind, runId, ...what } = write;
        this.note(`books: run ${runId}: ${kind} ${JSON.stringify(what)} (epoch ${epoch})`);
        this.did(write.kind === 'finish' ? `finish, attempt ${write.attemptOutcome}` : write.kind);
        if (write.kind === 'requeue') this.did(`requeue, attempt ${write.outcome}`);
        this.checks.written(write, row, epoch);
      },
    );
    const { clock, random, faults } = this;
    this.database = { books, clock, random, faults, away: false, refusedStarts: new Set() };
    this.broker = new MemoryBroker({ clock, deliver: (message) => faults.fateOf(message) });
    this.api = new ProcessBus(this.broker, new SimulatedProcess('api', clock));
    const { api: bus, checks } = this;
    this.canceller = new Canceller({ books, bus, checks, random, note: (text) => this.note(text) });
    this.workerParts = [
      this.worker('w1', ['amd64']),
      this.worker('w2', ARCHITECTURES),
      this.worker('w3', ['arm64']),
    ];
  }

  async run(): Promise<SimulationResult> {
    this.boot('s1');
    if (this.seed % 2 === 0) this.boot('s2');
    this.workerParts.forEach((parts) => this.startWorker(parts));
    for (let count = 0; count < RUNS; count += 1)
      this.at(this.random.between(0, SUBMISSION_MS), () => this.submit());
    for (let count = 0; count < CANCELLATIONS; count += 1)
      this.at(this.random.between(5_000, CHAOS_MS), () => this.canceller.cancelOne());
    for (const calamity of this.calamities()) this.at(this.random.between(10_000, CHAOS_MS), calamity);
    await this.clock.runUntil(CHAOS_MS);
    this.heal();
    for (let waited = 0; waited < HEALING_MS && !this.isDone(); waited += 10_000) {
      await this.clock.runUntil(this.clock.now() + 10_000);
    }
    this.checks.atTheEnd(this.database.books, this.store.files);
    const { seed, deeds, trace } = this;
    return { seed, violations: this.checks.violations, faults: this.faults.fired, deeds, trace };
  }

  private calamities(): (() => void)[] {
    const { random } = this;
    const all = [
      () => this.killWorker(),
      () => this.loseMachine(),
      () => this.stopWorker(),
      () => this.freeze('worker', random.pick([...this.workers.values()]), random.between(5_000, 120_000)),
      () => this.killScheduler(),
      () =>
        this.freeze('scheduler', random.pick([...this.schedulers.values()]), random.between(2_000, 20_000)),
      () => this.loseDatabase(),
      () => this.loseBus(),
    ];
    return Array.from({ length: 8 }, () => random.pick(all));
  }

  private submit(): void {
    const { random, database } = this;
    const arch = random.pick(ARCHITECTURES);
    const priority = Math.floor(random.between(1, 11));
    const row = database.books.draw(request({ arch, suite: random.pick(SUITES), priority }));
    if (random.chance(0.05)) database.refusedStarts.add(row.runId);
    const commit = () => {
      row.committed = true;
      this.note(`api: run ${row.runId} of ${arch} accepted`);
      this.api.signal(subjectOf(SUBJECTS.runsSubmitted, arch), {});
    };
    if (this.faults.strikes('run committed late', 0.2)) this.at(random.between(100, 9_000), commit);
    else commit();
  }

  private worker(name: string, architectures: string[]): WorkerParts {
    const { clock, broker, random, faults, checks } = this;
    const { books } = this.database;
    return {
      ...{ name, architectures, slots: 2, suites: SUITES, clock, broker, random, faults, disk: new Map() },
      trace: (line) => this.note(line),
      events: {
        replied: (subject, reply) => this.replied(subject, reply),
        staged: (file) => {
          if (faults.strikes('staged file lost', 0.03)) broker.dropStaged(file);
        },
        answered: ({ runId, attempt, answer }) => {
          this.did(`report ${answer}`);
          if (answer === 'recorded') checks.copyDropped(books, runId, attempt);
        },
        stopSignalled: () => this.did('attempt stopped by signal'),
        executionBegins: (runId, attempt, executor) =>
          checks.executionBegins(books, runId, attempt, executor),
        executionStopped: (runId, attempt) => checks.executionStopped(books, runId, attempt),
      },
    };
  }

  private replied(subject: Subject, reply: object): void {
    const { lease, wanted, instruction, returned } = reply as Record<string, unknown>;
    if (lease) this.did('lease answered with a lease');
    if (Array.isArray(wanted) && wanted.length > 0) this.did('lease answered with a wanted testbed');
    if (subject === SUBJECTS.renew) this.did(`renew answered ${String(instruction)}`);
    if (subject === SUBJECTS.return) this.did(`return answered ${String(returned)}`);
  }

  private startWorker(parts: WorkerParts): void {
    this.workers.set(parts.name, new SimulatedWorker(parts));
  }

  private killWorker(): void {
    const parts = this.random.pick(this.workerParts);
    this.calamity('worker killed', parts.name);
    this.workers.get(parts.name)?.kill();
    this.at(this.random.between(1_000, 90_000), () => this.restartWorker(parts));
  }

  /** Another machine takes its place: what the first had on its disk never comes. */
  private loseMachine(): void {
    const place = Math.floor(this.random.next() * this.workerParts.length);
    const { name, architectures } = this.workerParts[place] as WorkerParts;
    this.calamity('worker lost for good', name);
    this.workers.get(name)?.kill();
    this.workers.delete(name);
    const parts = this.worker(`${name}x`, architectures);
    this.workerParts[place] = parts;
    this.startWorker(parts);
  }

  private stopWorker(): void {
    const parts = this.random.pick(this.workerParts);
    this.calamity('worker stopped', parts.name);
    void this.workers.get(parts.name)?.stop();
    this.at(this.random.between(15_000, 60_000), () => this.restartWorker(parts));
  }

  private restartWorker(parts: WorkerParts): void {
    if (!this.workerParts.includes(parts)) return;
    this.workers.get(parts.name)?.kill();
    this.startWorker(parts);
  }

  private boot(name: string): void {
    this.schedulers.get(name)?.kill();
    const parts: SchedulerParts = {
      ...{ database: this.database, broker: this.broker, store: this.store },
      ...{ architectures: ARCHITECTURES, ownershipTtlMs: 5_000, settings: actorSettings(this.seed) },
    };
    this.schedulers.set(name, new SimulatedScheduler(`${name}-${++this.lives}`, parts));
  }

  private killScheduler(): void {
    const name = this.random.pick([...this.schedulers.keys()]);
    this.calamity('scheduler killed', name);
    this.schedulers.get(name)?.kill();
    this.at(this.random.between(500, 90_000), () => this.boot(name));
  }

  private freeze(kind: string, frozen: SimulatedWorker | SimulatedScheduler, ms: number): void {
    const { process } = frozen;
    this.calamity(`${kind} frozen`, `${process.name} for ${Math.round(ms)} ms`);
    process.freeze();
    this.at(ms, () => {
      if (frozen instanceof SimulatedScheduler) this.noteTwoOwners(frozen);
      process.thaw();
    });
  }

  private noteTwoOwners(woken: SimulatedScheduler): void {
    const others = [...this.schedulers.values()].filter((each) => each !== woken && each.process.isRunning);
    for (const [arch, epoch] of woken.believedEpochs) {
      if (others.some((other) => (other.believedEpochs.get(arch) ?? 0) > epoch))
        this.calamity('two owners', arch);
    }
  }

  private loseDatabase(): void {
    this.calamity('database away', '');
    this.database.away = true;
    this.at(this.random.between(1_000, 40_000), () => (this.database.away = false));
  }

  private loseBus(): void {
    this.calamity('bus away', '');
    for (const bus of this.buses()) bus.disconnect();
    this.at(this.random.between(1_000, 90_000), () => this.buses().forEach((bus) => bus.reconnect()));
  }

  private buses(): ProcessBus[] {
    return [this.api, ...[...this.schedulers.values(), ...this.workers.values()].map(({ bus }) => bus)];
  }

  private heal(): void {
    this.note('everything works again');
    this.faults.end();
    this.database.away = false;
    this.database.refusedStarts.clear();
    this.buses().forEach((bus) => bus.reconnect());
    for (const { process } of [...this.schedulers.values(), ...this.workers.values()]) process.thaw();
  }

  private isDone(): boolean {
    const isDelivered = this.workerParts.every(({ disk }) => disk.size === 0);
    if (this.database.books.ordersWaiting.length > 0) return false;
    return isDelivered && this.database.books.all().every(({ state }) => state === 'finished');
  }

  private calamity(fault: string, whom: string): void {
    this.faults.note(fault);
    this.note(`FAULT: ${fault} ${whom}`);
  }

  private did(deed: string): void {
    this.deeds.set(deed, (this.deeds.get(deed) ?? 0) + 1);
  }

  private at(ms: number, action: () => void): void {
    this.clock.after(ms, action);
  }

  private note(text: string): void {
    const line = `${(this.clock.now() / 1000).toFixed(3).padStart(9)} ${text}`;
    this.trace.push(line);
    this.onTrace(line);
  }
}
