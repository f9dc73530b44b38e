import { MemoryBroker } from '@test/support/memory-bus';
import { SUBJECTS, subjectOf, type WorkerStanding } from '@proctor/contracts';
import { runRequest } from '@test/support/run-request';
import { MemoryBooks } from '../memory-books';
import type { MemoryOwnership } from '../memory-ownership';
import { Calamities } from './calamities';
import { Checks } from './checks';
import { SimulatedDatabase } from './simulated-database';
import { FaultInjector } from './fault-injector';
import { LivenessCheck } from './liveness-check';
import { MemoryStore } from './memory-store';
import { actorSettings, LOAD_TIMEOUT_MS, type Weather } from './plan';
import { People } from './people';
import { ProcessBus } from './process-bus';
import { Processes, type World } from './processes';
import { Random } from './random';
import { SimulatedProcess } from './simulated-process';
import type { MakeActor } from './simulated-scheduler';
import { Story } from './story';
import { VirtualClock } from './virtual-clock';

const ARCHITECTURES = ['amd64', 'arm64'];
const SUITES = ['trixie', 'sid'];
const PACKAGES = ['gzip', 'hello', 'patch', 'sed', 'tar'];
const USERS = ['ada', 'grace'];
const RUNS = 24;
/** How many decisions people make of each kind. */
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

/** What a planted bug has put in the place of the right parts. */
export interface Planted {
  makeActor?: MakeActor;
  Owners?: typeof MemoryOwnership;
  /** The simulation ends at the first violation that matches. */
  foundBy?: RegExp;
}

/** Runs one seed: runs are submitted while everything goes wrong, then everything works again and all must end. */
export async function simulate(
  seed: number,
  onTrace?: (line: string) => void,
  weather: Weather = 'chaos',
  planted: Planted = {},
): Promise<SimulationResult> {
  return new Simulation(seed, weather, planted, onTrace).run();
}

class Simulation {
  private readonly clock = new VirtualClock();
  private readonly random: Random;
  private readonly faults: FaultInjector;
  private readonly world: World;
  private readonly api: ProcessBus;
  private readonly processes: Processes;
  private readonly people: People;
  private readonly calamities: Calamities;
  private readonly abort = new AbortController();
  private isFound = false;

  constructor(
    private readonly seed: number,
    private readonly weather: Weather,
    private readonly planted: Planted,
    onTrace: (line: string) => void = () => undefined,
  ) {
    this.random = new Random(seed);
    this.faults = new FaultInjector(this.random);
    this.world = this.create(new Story(this.clock, onTrace));
    const { database, broker, checks, story } = this.world;
    this.api = new ProcessBus(broker, new SimulatedProcess('api', this.clock));
    const note = (text: string) => story.note(text);
    const places = { architectures: ARCHITECTURES, suites: SUITES };
    const { books, random } = database;
    this.people = new People({ books, bus: this.api, checks, random, note, ...places });
    this.processes = new Processes(this.world, this.people);
    this.calamities = new Calamities(this.world, this.processes, this.api);
  }

  async run(): Promise<SimulationResult> {
    const { clock, random, processes } = this;
    const { database, store, checks, liveness, story } = this.world;
    liveness.watch();
    processes.bootScheduler('s1');
    if (this.seed % 2 === 0) processes.bootScheduler('s2');
    processes.startWorkers();
    for (let count = 0; count < RUNS; count += 1)
      clock.after(random.between(0, SUBMISSION_MS), () => this.submit());
    ARCHITECTURES.forEach((arch) => void this.followEvents(arch));
    for (const decision of this.decisions())
      for (let count = 0; count < DECISIONS; count += 1)
        clock.after(random.between(5_000, CHAOS_MS), decision);
    for (const calamity of this.calamities.draw(this.weather))
      clock.after(random.between(10_000, CHAOS_MS), calamity);
    const isFound = (): boolean => this.isFound;
    await clock.runUntil(CHAOS_MS, isFound);
    story.note('everything works again');
    this.calamities.end();
    for (let waited = 0; waited < HEALING_MS && !isFound() && !this.isDone(); waited += 10_000) {
      await clock.runUntil(clock.now() + 10_000, isFound);
    }
    await clock.runUntil(clock.now(), isFound);
    this.abort.abort();
    if (!isFound()) checks.atTheEnd(database.books, store.files);
    const { deeds, trace } = story;
    return { seed: this.seed, violations: checks.violations, faults: this.faults.fired, deeds, trace };
  }

  private create(story: Story): World {
    const { clock, random, faults, weather, planted } = this;
    const isCalm = weather === 'calm';
    if (weather !== 'chaos') faults.end();
    const checks = new Checks(
      (violation) => {
        story.note(`VIOLATION: ${violation}`);
        this.isFound ||= planted.foundBy?.test(violation) ?? false;
      },
      isCalm,
      () => clock.now(),
    );
    const books: MemoryBooks = new MemoryBooks(
      () => clock.now() + database.clockStepMs,
      (arch, write, row, epoch) => {
        story.written(arch, write, epoch);
        checks.written(books, arch, write, row, epoch);
        if (write.kind === 'judge-worker') this.judged(write.worker, write.standing);
      },
      [],
      () => random.next(),
      planted.Owners,
    );
    const broker = new MemoryBroker({ clock, deliver: (message) => faults.fateOf(message) });
    const liveness = new LivenessCheck({
      ...{ clock, architectures: ARCHITECTURES, loadTimeoutMs: LOAD_TIMEOUT_MS },
      schedulers: () => [...this.processes.schedulers.keys()],
      unserved: (arch, ms) => checks.unserved(arch, ms),
    });
    const database: SimulatedDatabase = new SimulatedDatabase(
      { books, clock, random, faults },
      {
        cancel: (runId) => {
          const row = books.look(runId);
          if (row?.committed && row.state !== 'finished') this.people.cancelUnnoticed(row);
        },
        loadedForNothing: (arch) => checks.loadedForNothing(arch),
        restored: (bringBack) => {
          const lostRuns = checks.restores(books, bringBack);
          story.note(`forgotten: runs ${lostRuns.join(', ')}`);
          this.people.lookAgain();
        },
        loadHangs: (arch, ms) => liveness.loadHangs(arch, ms),
        polled: (arch) => liveness.served(arch),
        known: (runIds) => checks.known(books, runIds),
      },
    );
    return {
      ...{ architectures: ARCHITECTURES, suites: SUITES, database, broker, store: new MemoryStore() },
      ...{ checks, liveness, story, settings: actorSettings(this.seed, weather) },
      makeActor: planted.makeActor,
    };
  }

  private decisions(): (() => void)[] {
    const { clock, random, people, processes } = this;
    const forAWhile = (takeBack: () => void) => void clock.after(random.between(5_000, 40_000), takeBack);
    return [
      () => people.cancel(),
      () => people.reprioritise(),
      () => forAWhile(people.pause()),
      () => forAWhile(people.drain(processes.anyMachine().name)),
      () => forAWhile(people.revoke(processes.anyMachine().name)),
    ];
  }

  /** Another process may know better. */
  private judged(worker: string, standing: WorkerStanding): void {
    const { clock, random, people } = this;
    if (standing === 'sound' || !random.chance(0.5)) return;
    clock.after(random.between(100, 5_000), () => people.trust(worker));
  }

  private submit(): void {
    const { random, faults, clock } = this;
    const { database, story } = this.world;
    const arch = random.pick(ARCHITECTURES);
    const priority = Math.floor(random.between(1, 11));
    const isPrivate = random.chance(0.2);
    const what = { package: random.pick(PACKAGES), suite: random.pick(SUITES), arch, priority, isPrivate };
    const row = database.books.draw(runRequest(what), random.pick(USERS));
    if (random.chance(0.05)) database.refusedStarts.add(row.runId);
    const commit = () => {
      // The transaction was lost with a restore of the database: the client asks again.
      if (database.books.look(row.runId) !== row) return this.submit();
      row.committed = true;
      this.world.checks.accepts(row);
      story.note(`api: run ${row.runId} of ${arch} accepted`);
      this.api.signal(subjectOf(SUBJECTS.runsSubmitted, arch), {});
    };
    if (faults.strikes('run committed late', 0.2)) clock.after(random.between(100, 9_000), commit);
    else commit();
  }

  private isDone(): boolean {
    const { broker, database } = this.world;
    const { books } = database;
    const isPublished = ARCHITECTURES.every((arch) => books.facts.listUnpublished(arch, 1).length === 0);
    if (
      !this.processes.isDelivered ||
      this.world.checks.endedTests.undelivered.length > 0 ||
      broker.reports.size > 0 ||
      !isPublished ||
      books.decisions.waiting().length > 0
    )
      return false;
    return books.all().every(({ state }) => state === 'finished');
  }

  private async followEvents(arch: string): Promise<void> {
    const { broker, checks } = this.world;
    for await (const fact of broker.events.read(arch, this.abort.signal)) checks.published(fact);
  }
}
