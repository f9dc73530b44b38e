import type { Weather } from './plan';
import type { ProcessBus } from './process-bus';
import type { Processes, World } from './processes';
import { SimulatedScheduler } from './simulated-scheduler';
import type { SimulatedWorker } from './simulated-worker';

const COUNT = 8;

/** What becomes of processes, machines, the database and the bus while everything goes wrong; each ends by itself. */
export class Calamities {
  /**
   * @param api the api's connection, which is lost with all others
   */
  constructor(
    private readonly world: World,
    private readonly processes: Processes,
    private readonly api: ProcessBus,
  ) {}

  /** Those of one seed, by chance; in calm weather only of schedulers. */
  draw(weather: Weather): (() => void)[] {
    const { random } = this.world.database;
    const ofSchedulers = [
      () => this.killScheduler(),
      () => this.strike('frozen', this.processes.anyScheduler(), random.between(2_000, 20_000)),
      () =>
        this.strike('suspended with its clock', this.processes.anyScheduler(), random.between(5_000, 30_000)),
    ];
    const all = [
      ...ofSchedulers,
      () => this.killWorker(),
      () => this.loseMachine(),
      () => this.stopWorker(),
      () => this.startTwin(),
      () => this.strike('frozen', this.processes.anyWorker(), random.between(5_000, 120_000)),
      () => this.loseDatabase(),
      () => this.loseBus(),
    ];
    return Array.from({ length: COUNT }, () => random.pick(weather === 'calm' ? ofSchedulers : all));
  }

  /** Everything works again. */
  end(): void {
    const { database } = this.world;
    database.faults.end();
    database.away = false;
    database.refusedStarts.clear();
    this.reconnect();
    this.processes.thaw();
  }

  private killScheduler(): void {
    const { random } = this.world.database;
    const name = random.pick([...this.processes.schedulers.keys()]);
    this.note('scheduler killed', name);
    this.processes.schedulers.get(name)?.kill();
    this.after(random.between(500, 90_000), () => this.processes.bootScheduler(name));
  }

  private killWorker(): void {
    const machine = this.processes.anyMachine();
    this.note('worker killed', machine.name);
    this.processes.killWorker(machine);
    this.after(this.world.database.random.between(1_000, 90_000), () =>
      this.processes.restartWorker(machine),
    );
  }

  private loseMachine(): void {
    const machine = this.processes.anyMachine();
    this.note('worker lost for good', machine.name);
    this.processes.replace(machine);
  }

  private startTwin(): void {
    const machine = this.processes.anyMachine();
    this.note('two workers of one name', machine.name);
    this.after(this.world.database.random.between(20_000, 150_000), this.processes.startTwin(machine));
  }

  private stopWorker(): void {
    const machine = this.processes.anyMachine();
    this.note('worker stopped', machine.name);
    void this.processes.stopWorker(machine);
    this.after(this.world.database.random.between(15_000, 60_000), () =>
      this.processes.restartWorker(machine),
    );
  }

  private strike(
    how: 'frozen' | 'suspended with its clock',
    struck: SimulatedWorker | SimulatedScheduler,
    ms: number,
  ): void {
    const { process } = struck;
    const kind = struck instanceof SimulatedScheduler ? 'scheduler' : 'worker';
    this.note(`${kind} ${how}`, `${process.name} for ${Math.round(ms)} ms`);
    if (how === 'frozen') process.freeze();
    else process.suspend();
    this.after(ms, () => {
      if (struck instanceof SimulatedScheduler) this.noteTwoOwners(struck);
      process.thaw();
    });
  }

  private noteTwoOwners(woken: SimulatedScheduler): void {
    const others = [...this.processes.schedulers.values()].filter(
      (each) => each !== woken && each.process.isRunning,
    );
    for (const [arch, epoch] of woken.believedEpochs) {
      if (others.some((other) => (other.believedEpochs.get(arch) ?? 0) > epoch))
        this.note('two owners', arch);
    }
  }

  private loseDatabase(): void {
    const { database } = this.world;
    this.note('database away', '');
    database.away = true;
    this.after(database.random.between(1_000, 40_000), () => (database.away = false));
  }

  private loseBus(): void {
    this.note('bus away', '');
    for (const bus of this.buses) bus.disconnect();
    this.after(this.world.database.random.between(1_000, 90_000), () => this.reconnect());
  }

  private reconnect(): void {
    for (const bus of this.buses) bus.reconnect();
  }

  private get buses(): ProcessBus[] {
    return [this.api, ...this.processes.buses];
  }

  private note(fault: string, whom: string): void {
    this.world.database.faults.note(fault);
    this.world.story.note(`FAULT: ${fault} ${whom}`);
  }

  private after(ms: number, action: () => void): void {
    this.world.database.clock.after(ms, action);
  }
}
