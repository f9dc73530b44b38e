import type { MemoryBroker } from '@test/support/memory-bus';
import { grantName, type FinishedReport } from '@proctor/contracts';
import type { ActorSettings } from '@apps/scheduler/src/dispatcher/actor-ports';
import type { Checks } from './checks';
import type { SimulatedDatabase } from './simulated-database';
import type { LivenessCheck } from './liveness-check';
import type { MemoryStore } from './memory-store';
import type { People } from './people';
import type { ProcessBus } from './process-bus';
import { SimulatedScheduler, type MakeActor } from './simulated-scheduler';
import { SimulatedWorker, type WorkerEvents, type WorkerParts } from './simulated-worker';
import type { Story } from './story';

/** What the processes live in. */
export interface World {
  architectures: string[];
  suites: string[];
  database: SimulatedDatabase;
  broker: MemoryBroker;
  store: MemoryStore;
  checks: Checks;
  liveness: LivenessCheck;
  story: Story;
  settings: ActorSettings;
  makeActor: MakeActor | undefined;
}

const OWNERSHIP_TTL_MS = 5_000;

/** The schedulers, the workers and the machines of the workers, which come and go. */
export class Processes {
  /** Latest life of each, dead ones too. */
  readonly schedulers = new Map<string, SimulatedScheduler>();
  private readonly workers = new Map<string, SimulatedWorker>();
  /** What each worker has at each of its lives, its disk above all. */
  private readonly machines: WorkerParts[];
  /** Second processes under the name of a worker. */
  private readonly twins = new Set<SimulatedWorker>();
  private readonly unreadable = new Map<string, boolean>();
  private lives = 0;

  constructor(
    private readonly world: World,
    private readonly people: People,
  ) {
    const { architectures } = world;
    this.machines = [
      this.machine('w1', architectures.slice(0, 1)),
      this.machine('w2', architectures),
      this.machine('w3', architectures.slice(1)),
    ];
  }

  anySchedulerName(): string {
    return this.world.database.random.pick([...this.schedulers.keys()]);
  }

  scheduler(name: string): SimulatedScheduler {
    return this.schedulers.get(name)!;
  }

  anyWorker(): SimulatedWorker {
    return this.world.database.random.pick([...this.workers.values()]);
  }

  /** One that executes something, if any does. */
  anyBusyWorker(): SimulatedWorker {
    const { books, random } = this.world.database;
    const running = books.all().filter(({ state }) => state === 'running');
    const busy = running.flatMap(({ worker }) => this.workers.get(worker ?? '') ?? []);
    return busy.length > 0 ? random.pick(busy) : this.anyWorker();
  }

  anyMachine(): WorkerParts {
    return this.world.database.random.pick(this.machines);
  }

  /** Every result that a worker kept was answered. */
  get isDelivered(): boolean {
    return this.machines.every(({ disk }) => disk.size === 0);
  }

  get buses(): ProcessBus[] {
    return this.all.map(({ bus }) => bus);
  }

  anyBus(): ProcessBus {
    return this.world.database.random.pick(this.buses);
  }

  startWorkers(): void {
    for (const machine of this.machines) this.startWorker(machine);
  }

  bootScheduler(name: string): void {
    this.schedulers.get(name)?.kill();
    const parts = { ...this.world, ownershipTtlMs: OWNERSHIP_TTL_MS };
    this.schedulers.set(name, new SimulatedScheduler(`${name}-${++this.lives}`, parts));
  }

  killWorker({ name }: WorkerParts): void {
    this.workers.get(name)?.kill();
  }

  async stopWorker({ name }: WorkerParts): Promise<void> {
    await this.workers.get(name)?.stop();
  }

  /** Nothing when the machine was lost meanwhile. */
  restartWorker(machine: WorkerParts): void {
    if (!this.machines.includes(machine)) return;
    this.killWorker(machine);
    this.startWorker(machine);
  }

  /** Another machine takes its place: what the first had on its disk never comes. */
  replace(machine: WorkerParts): void {
    this.killWorker(machine);
    for (const life of machine.lives) this.world.checks.endedTests.lifeEnded(life, true);
    this.workers.delete(machine.name);
    const next = this.machine(`${machine.name}x`, machine.architectures);
    this.machines[this.machines.indexOf(machine)] = next;
    this.startWorker(next);
  }

  /** A second process asks under the name of a machine, with a disk of its own; answers what ends it. */
  startTwin(machine: WorkerParts): () => void {
    const twin = new SimulatedWorker({ ...machine, disk: new Map(), lives: [] });
    this.twins.add(twin);
    return () => {
      this.twins.delete(twin);
      twin.kill();
      this.world.checks.endedTests.lifeEnded(twin.incarnation, true);
    };
  }

  thaw(): void {
    for (const { process } of this.all) process.thaw();
  }

  repair(): void {
    for (const machine of this.machines) machine.isBroken = false;
  }

  private get all(): (SimulatedScheduler | SimulatedWorker)[] {
    return [...this.schedulers.values(), ...this.workers.values(), ...this.twins];
  }

  private startWorker(machine: WorkerParts): void {
    this.workers.set(machine.name, new SimulatedWorker(machine));
  }

  /** A user registers it; the first worker, and its replacements, may not run private tests. */
  private machine(name: string, architectures: string[]): WorkerParts {
    this.people.register(name, architectures, !name.startsWith('w1'));
    const { database, broker, suites, story } = this.world;
    const { clock, random, faults } = database;
    return {
      ...{ name, architectures, slots: 2, suites, clock, broker, random, faults, disk: new Map(), lives: [] },
      isBroken: false,
      trace: (line) => story.note(line),
      events: this.watched(),
    };
  }

  /** Some workers report an attempt in a way that cannot be read, each time that they repeat it. */
  private isUnreadable(report: FinishedReport): boolean {
    const title = grantName(report, '/');
    const isUnreadable =
      this.unreadable.get(title) ?? this.world.database.faults.strikes('report unreadable', 0.03);
    this.unreadable.set(title, isUnreadable);
    return isUnreadable;
  }

  private watched(): WorkerEvents {
    const { database, broker, store, checks, story } = this.world;
    const { books, faults } = database;
    return {
      testEnds: (grant, { incarnation }) => checks.endedTests.ended(grant, incarnation),
      stopsTooLate: () => story.did('attempt stopped after its test had ended'),
      packs: (grant) => checks.packed(grant),
      isKept: (report) => checks.endedTests.kept(report),
      keeping: (report) => {
        if (faults.strikes('result could not be kept', 0.03)) {
          checks.notWritten(report);
          throw new Error('no space left on device');
        }
      },
      unkept: (report) => checks.notKept(report),
      lifeBegins: (incarnation) => checks.workers.lifeBegins(incarnation),
      lifeEnds: (incarnation) => {
        if (checks.endedTests.arePackedIn(incarnation)) story.did('worker killed while it packed a result');
        checks.lifeEnds(incarnation);
      },
      replied: (subject, reply) => story.replied(subject, reply),
      staged: (worker, file) => {
        if (faults.strikes('staged file lost', 0.03)) broker.staging.drop(worker, file);
      },
      reporting: (report) => {
        checks.reported(books, report);
        return this.isUnreadable(report) ? { ...report, verdict: 'odd' } : report;
      },
      answered: ({ answer }, report) => {
        story.did(`report ${answer}`);
        if (answer !== 'upload-again') checks.endedTests.answered(report);
        if (answer === 'recorded') checks.copyDropped(books, store.files, report);
        if (answer === 'refused') checks.workers.reportRefused(books, report, this.isUnreadable(report));
        if (answer === 'stale') checks.resultRefused(books, report);
      },
      stopSignalled: () => story.did('attempt stopped by signal'),
      executionBegins: (grant, executor) => checks.executionBegins(books, grant, executor),
      executionStopped: (grant) => checks.executionStopped(books, grant),
    };
  }
}
