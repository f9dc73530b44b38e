import { MemoryBroker } from '@proctor/bus';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import { request } from '../../contract/journal.contract';
import { MemoryBooks } from '../memory-books';
import { Checks } from './checks';
import { Faults } from './faults';
import type { Database } from './faulty-books';
import { MemoryStore } from './memory-store';
import { actorSettings, type Weather } from './plan';
import { People } from './people';
import { ProcessBus } from './process-bus';
import { Random } from './random';
import { SimulatedProcess } from './simulated-process';
import { SimulatedScheduler, type SchedulerParts } from './simulated-scheduler';
import { SimulatedWorker, type WorkerParts } from './simulated-worker';
import { Story } from './story';
import { VirtualClock } from './virtual-clock';

const ARCHITECTURES = ['amd64', 'arm64'];
const SUITES = ['trixie', 'sid'];
const PACKAGES = ['gzip', 'hello', 'patch', 'sed', 'tar'];
const USERS = ['ada', 'grace'];
const RUNS = 24;
/** Of each kind that people make. */
const DECISIONS = 3;
const CHAOS_MS = 400_000;
const SUBMISSION_MS = 200_000;
/** A run that has not ended this long after the last fault is lost. */
const HEALING_MS = 3_600_000;

export interface SimulationResult {
  seed: number;
  violations: string[];
  faults: ReadonlyMap<string, number>;
  /** What was done, by name, and how often: a run of seeds that never did it proves nothing about it. */
  deeds: ReadonlyMap<string, number>;
  trace: string[];
}

/** Runs one seed: runs are submitted while everything goes wrong, then everything works again and all must end. */
export async function simulate(
  seed: number,
  onTrace?: (line: string) => void,
  weather: Weather = 'chaos',
): Promise<SimulationResult> {
  return new Simulation(seed, weather, onTrace).run();
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
  private readonly story: Story;
  private readonly api: ProcessBus;
  private readonly people: People;
  private readonly abort = new AbortController();
  private lives = 0;

  constructor(
    private readonly seed: number,
    private readonly weather: Weather,
    onTrace: (line: string) => void = () => undefined,
  ) {
    this.story = new Story(this.clock, onTrace);
    this.random = new Random(seed);
    this.faults = new Faults(this.random);
    const isCalm = weather === 'calm';
    if (isCalm) this.faults.end();
    this.checks = new Checks((violation) => this.story.note(`VIOLATION: ${violation}`), isCalm);
    const books = new MemoryBooks(
      () => this.clock.now(),
      (arch, write, row, epoch) => {
        this.story.written(arch, write, epoch);
        this.checks.written(this.database.books, arch, write, row, epoch);
      },
    );
    const { clock, random, faults } = this;
    this.database = { books, clock, random, faults, away: false, refusedStarts: new Set() };
    this.broker = new MemoryBroker({ clock, deliver: (message) => faults.fateOf(message) });
    this.api = new ProcessBus(this.broker, new SimulatedProcess('api', clock));
    const { api: bus, checks } = this;
    const note = (text: string) => this.story.note(text);
    const places = { architectures: ARCHITECTURES, suites: SUITES };
    this.people = new People({ books, bus, checks, random, note, ...places });
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
    ARCHITECTURES.forEach((arch) => void this.followEvents(arch));
    for (const decision of this.decisions())
      for (let count = 0; count < DECISIONS; count += 1)
        this.at(this.random.between(5_000, CHAOS_MS), decision);
    for (const calamity of this.calamities()) this.at(this.random.between(10_000, CHAOS_MS), calamity);
    await this.clock.runUntil(CHAOS_MS);
    this.heal();
    for (let waited = 0; waited < HEALING_MS && !this.isDone(); waited += 10_000) {
      await this.clock.runUntil(this.clock.now() + 10_000);
    }
    await this.clock.runUntil(this.clock.now());
    this.abort.abort();
    this.checks.atTheEnd(this.database.books, this.store.files);
    const { deeds, trace } = this.story;
    const { violations } = this.checks;
    return { seed: this.seed, violations, faults: this.faults.fired, deeds, trace };
  }

  private decisions(): (() => void)[] {
    const { random, people } = this;
    const forAWhile = (takeBack: () => void) => this.at(random.between(5_000, 40_000), takeBack);
    return [
      () => people.cancel(),
      () => people.reprioritise(),
      () => forAWhile(people.pause()),
      () => forAWhile(people.drain(random.pick(this.workerParts).name)),
    ];
  }

  private calamities(): (() => void)[] {
    const { random } = this;
    const ofSchedulers = [
      () => this.killScheduler(),
      () => this.strike('frozen', 'scheduler', this.anyScheduler(), random.between(2_000, 20_000)),
      () =>
        this.strike(
          'suspended with its clock',
          'scheduler',
          this.anyScheduler(),
          random.between(5_000, 30_000),
        ),
    ];
    const all = [
      ...ofSchedulers,
      () => this.killWorker(),
      () => this.loseMachine(),
      () => this.stopWorker(),
      () =>
        this.strike(
          'frozen',
          'worker',
          random.pick([...this.workers.values()]),
          random.between(5_000, 120_000),
        ),
      () => this.loseDatabase(),
      () => this.loseBus(),
    ];
    return Array.from({ length: 8 }, () => random.pick(this.weather === 'calm' ? ofSchedulers : all));
  }

  private submit(): void {
    const { random, database } = this;
    const arch = random.pick(ARCHITECTURES);
    const priority = Math.floor(random.between(1, 11));
    const what = { package: random.pick(PACKAGES), suite: random.pick(SUITES), arch, priority };
    const row = database.books.draw(request(what), random.pick(USERS));
    if (random.chance(0.05)) database.refusedStarts.add(row.runId);
    const commit = () => {
      row.committed = true;
      this.story.note(`api: run ${row.runId} of ${arch} accepted`);
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
      trace: (line) => this.story.note(line),
      events: {
        replied: (subject, reply) => this.story.replied(subject, reply),
        staged: (file) => {
          if (faults.strikes('staged file lost', 0.03)) broker.dropStaged(file);
        },
        answered: ({ runId, attempt, answer }) => {
          this.story.did(`report ${answer}`);
          if (answer === 'recorded') checks.copyDropped(books, runId, attempt);
        },
        stopSignalled: () => this.story.did('attempt stopped by signal'),
        executionBegins: (runId, attempt, executor) =>
          checks.executionBegins(books, runId, attempt, executor),
        executionStopped: (runId, attempt) => checks.executionStopped(books, runId, attempt),
      },
    };
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
      ...{
        architectures: ARCHITECTURES,
        ownershipTtlMs: 5_000,
        settings: actorSettings(this.seed, this.weather),
      },
    };
    this.schedulers.set(name, new SimulatedScheduler(`${name}-${++this.lives}`, parts));
  }

  private killScheduler(): void {
    const name = this.random.pick([...this.schedulers.keys()]);
    this.calamity('scheduler killed', name);
    this.schedulers.get(name)?.kill();
    this.at(this.random.between(500, 90_000), () => this.boot(name));
  }

  private anyScheduler(): SimulatedScheduler {
    return this.random.pick([...this.schedulers.values()]);
  }

  private strike(
    how: 'frozen' | 'suspended with its clock',
    kind: string,
    struck: SimulatedWorker | SimulatedScheduler,
    ms: number,
  ): void {
    const { process } = struck;
    this.calamity(`${kind} ${how}`, `${process.name} for ${Math.round(ms)} ms`);
    if (how === 'frozen') process.freeze();
    else process.suspend();
    this.at(ms, () => {
      if (struck instanceof SimulatedScheduler) this.noteTwoOwners(struck);
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
    this.story.note('everything works again');
    this.faults.end();
    this.database.away = false;
    this.database.refusedStarts.clear();
    this.buses().forEach((bus) => bus.reconnect());
    for (const { process } of [...this.schedulers.values(), ...this.workers.values()]) process.thaw();
  }

  private isDone(): boolean {
    const { books } = this.database;
    const isDelivered = this.workerParts.every(({ disk }) => disk.size === 0);
    const isTold = ARCHITECTURES.every((arch) => books.facts.unpublished(arch, 1).length === 0);
    if (!isDelivered || !isTold || books.decisions.waiting().length > 0) return false;
    return books.all().every(({ state }) => state === 'finished');
  }

  private async followEvents(arch: string): Promise<void> {
    for await (const fact of this.broker.events.read(arch, this.abort.signal)) this.checks.published(fact);
  }

  private calamity(fault: string, whom: string): void {
    this.faults.note(fault);
    this.story.note(`FAULT: ${fault} ${whom}`);
  }

  private at(ms: number, action: () => void): void {
    this.clock.after(ms, action);
  }
}
