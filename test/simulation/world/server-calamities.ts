import { BUS_LIMITS } from '@proctor/bus';
import { CalamityKind } from './calamity-kind';
import type { ProcessBus } from './process-bus';
import type { Processes, World } from './processes';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Less than one report. */
const NO_ROOM_BYTES = 64;

/** What becomes of the database, of the bus, of the store and of the ways to them. */
export class ServerCalamities extends CalamityKind {
  /**
   * @param api the api's connection, which is lost with all others
   */
  constructor(
    world: World,
    processes: Processes,
    private readonly api: ProcessBus,
  ) {
    super(world, processes);
  }

  get all(): (() => void)[] {
    return [...this.ofDatabase, ...this.ofBus, () => this.loseStore(), () => this.slowStore()];
  }

  /** All works again. */
  end(): void {
    const { database, store, broker } = this.world;
    database.mend();
    store.mend();
    broker.limits.reportsBytesMax = BUS_LIMITS.reportsBytesMax;
    for (const bus of this.buses) {
      bus.release('arrives');
      bus.reconnect();
    }
  }

  private get ofDatabase(): (() => void)[] {
    return [
      () => this.loseDatabase(),
      () => this.slowDatabase(),
      () => this.freezeDatabase(),
      () => this.swallowDatabase(),
      () => this.stepClock(),
      () => this.restoreDatabase(),
    ];
  }

  private get ofBus(): (() => void)[] {
    return [
      () => this.loseBus(),
      () => this.freezeBus(),
      () => this.swallowBus(),
      () => this.fillStreams(),
      () => this.loseStreams(),
    ];
  }

  private loseDatabase(): void {
    const { database } = this.world;
    this.note('database away');
    database.isAway = true;
    this.breaks('database', this.between(1_000, 40_000), () => (database.isAway = false));
  }

  private slowDatabase(): void {
    const { database } = this.world;
    this.note('database slow');
    database.isSlow = true;
    this.breaks('database', this.between(15_000, 60_000), () => (database.isSlow = false));
  }

  private freezeDatabase(): void {
    const { database } = this.world;
    const ms = this.between(2_000, 50_000);
    this.note('database frozen', `for ${Math.round(ms)} ms`);
    database.frozenUntilMs = database.clock.now() + ms;
    this.breaks('database', ms, () => undefined);
  }

  private swallowDatabase(): void {
    const { swallowed, clock } = this.world.database;
    const name = this.processes.anySchedulerName();
    const { process } = this.processes.scheduler(name);
    this.note('connections to the database swallowed', name);
    swallowed.set(process, clock.now());
    this.breaks(name, this.between(8_000, 50_000), () => swallowed.delete(process));
  }

  private stepClock(): void {
    const { database } = this.world;
    const isForth = database.random.chance(0.5);
    const ms = this.between(MINUTE_MS / 6, 20 * MINUTE_MS);
    this.note(`clock of the database stepped ${isForth ? 'forth' : 'back'}`, `by ${Math.round(ms)} ms`);
    database.clockStepMs += isForth ? ms : -ms;
  }

  /** To what it is now, in a while. */
  private restoreDatabase(): void {
    const { database } = this.world;
    const { clock, books, faults } = database;
    const copiedAtMs = clock.now();
    const bringBack = books.copy();
    this.after(this.between(10_000, 90_000), () => {
      if (faults.areOver) return;
      this.note('database restored', `to ${Math.round(clock.now() - copiedAtMs)} ms before`);
      database.restore(bringBack);
      this.breaks('database', this.between(500, 10_000), () => (database.isAway = false));
    });
  }

  /**
   * The database is restored twice to what it is now, the second time by a server whose clock is behind: its epochs are lower than those
   * that the workers have seen in between.
   */
  lowerEpochs(): void {
    const { database } = this.world;
    const [first, second] = [database.books.copy(), database.books.copy()];
    const restore = (bringBack: () => void) => {
      database.restore(bringBack);
      this.breaks('database', this.between(500, 3_000), () => (database.isAway = false));
    };
    this.after(this.between(5_000, 20_000), () => {
      restore(first);
      this.after(this.between(10_000, 30_000), () => {
        this.note('epochs lowered');
        database.clockStepMs -= HOUR_MS;
        restore(second);
      });
    });
  }

  private loseBus(): void {
    this.note('bus away');
    for (const bus of this.buses) bus.disconnect();
    this.after(this.between(1_000, 90_000), () => this.reconnect());
  }

  /** What was sent meanwhile arrives at the thaw. */
  private freezeBus(): void {
    const frozen = this.buses;
    this.note('bus frozen');
    for (const bus of frozen) bus.swallow();
    this.after(this.between(2_000, 50_000), () => frozen.forEach((bus) => bus.release('arrives')));
  }

  private swallowBus(): void {
    const bus = this.processes.anyBus();
    this.note('connection to the bus swallowed', bus.process.name);
    bus.swallow();
    this.after(this.between(8_000, 50_000), () => bus.release('is lost'));
  }

  private fillStreams(): void {
    const { limits } = this.world.broker;
    this.note('streams full');
    limits.reportsBytesMax = NO_ROOM_BYTES;
    this.after(this.between(5_000, 60_000), () => (limits.reportsBytesMax = BUS_LIMITS.reportsBytesMax));
  }

  private loseStreams(): void {
    const { broker, checks } = this.world;
    this.note('streams lost');
    checks.streamsLost();
    broker.loseFiles();
  }

  private loseStore(): void {
    const { store } = this.world;
    this.note('store away');
    store.isAway = true;
    this.after(this.between(5_000, 120_000), () => (store.isAway = false));
  }

  private slowStore(): void {
    const { store } = this.world;
    this.note('store slow');
    store.isSlow = true;
    this.after(this.between(20_000, 120_000), () => (store.isSlow = false));
  }

  private reconnect(): void {
    for (const bus of this.buses) bus.reconnect();
  }

  private get buses(): ProcessBus[] {
    return [this.api, ...this.processes.buses];
  }
}
