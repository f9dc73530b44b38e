import { CalamityKind } from './calamity-kind';
import type { SimulatedScheduler } from './simulated-scheduler';

const CUT_OFF_MAX_MS = 150_000;
const LOOK_EVERY_MS = 2_000;

/** What becomes of processes and of their machines. */
export class ProcessCalamities extends CalamityKind {
  get all(): (() => void)[] {
    return [
      ...this.ofSchedulers,
      () => this.killWorker(),
      () => this.loseMachine(),
      () => this.stopWorker(),
      () => this.startTwin(),
      () => this.freezeWorker(),
      () => this.cutWorkerOff(),
      () => this.breakMachine(),
    ];
  }

  get ofSchedulers(): (() => void)[] {
    return [
      () => this.killScheduler(),
      () => this.strikeScheduler('frozen', this.between(2_000, 20_000)),
      () => this.strikeScheduler('suspended with its clock', this.between(5_000, 30_000)),
    ];
  }

  /** Nothing that it sends arrives, but its tests go on; if it executes any, until one is executed elsewhere, too. */
  cutWorkerOff(): void {
    const { process, bus } = this.processes.anyBusyWorker();
    const running = this.world.database.books.all().filter(({ state }) => state === 'running');
    const own = running
      .filter(({ worker }) => worker === process.name)
      .map((row) => ({ row, attempt: row.attempt }));
    this.note('worker cut off', process.name);
    bus.disconnect();
    const look = (lookedMs: number): void => {
      const isElsewhere = own.some(({ row, attempt }) => row.state === 'running' && row.attempt > attempt);
      if (isElsewhere || lookedMs >= CUT_OFF_MAX_MS) bus.reconnect();
      else this.after(LOOK_EVERY_MS, () => look(lookedMs + LOOK_EVERY_MS));
    };
    look(0);
  }

  private killScheduler(): void {
    const name = this.processes.anySchedulerName();
    this.note('scheduler killed', name);
    this.processes.scheduler(name).kill();
    this.breaks(name, this.between(500, 90_000), () => this.processes.bootScheduler(name));
  }

  private strikeScheduler(how: 'frozen' | 'suspended with its clock', ms: number): void {
    const name = this.processes.anySchedulerName();
    const struck = this.processes.scheduler(name);
    this.note(`scheduler ${how}`, `${name} for ${Math.round(ms)} ms`);
    if (how === 'frozen') struck.process.freeze();
    else struck.process.suspend();
    this.breaks(name, ms, () => {
      this.noteTwoOwners(struck);
      struck.process.thaw();
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

  private freezeWorker(): void {
    const { process } = this.processes.anyWorker();
    const ms = this.between(5_000, 120_000);
    this.note('worker frozen', `${process.name} for ${Math.round(ms)} ms`);
    process.freeze();
    this.after(ms, () => process.thaw());
  }

  private killWorker(): void {
    const machine = this.processes.anyMachine();
    this.note('worker killed', machine.name);
    this.processes.killWorker(machine);
    this.after(this.between(1_000, 90_000), () => this.processes.restartWorker(machine));
  }

  private loseMachine(): void {
    const machine = this.processes.anyMachine();
    this.note('worker lost for good', machine.name);
    this.processes.replace(machine);
  }

  /** Whatever it executes fails, its canary tests too. */
  private breakMachine(): void {
    const machine = this.processes.anyMachine();
    this.note('machine broken', machine.name);
    machine.isBroken = true;
    this.after(this.between(30_000, 120_000), () => (machine.isBroken = false));
  }

  private stopWorker(): void {
    const machine = this.processes.anyMachine();
    this.note('worker stopped', machine.name);
    void this.processes.stopWorker(machine);
    this.after(this.between(15_000, 60_000), () => this.processes.restartWorker(machine));
  }

  private startTwin(): void {
    const machine = this.processes.anyMachine();
    this.note('two workers of one name', machine.name);
    this.after(this.between(20_000, 150_000), this.processes.startTwin(machine));
  }
}
