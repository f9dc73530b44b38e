import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Bus, Outages, type StagedUpload, type StagingContents } from '@proctor/bus';
import { WakeUp, type Clock } from '@proctor/clock';
import { grantName, stagedGrant, type Grant } from '@proctor/contracts';
import { AwaitedReports } from '@proctor/database';
import { CLOCK } from '../configuration.token';

/** Where a function is injected that returns the SweeperSettings of the moment. */
export const SWEEPER_SETTINGS = Symbol('sweeper settings');

export interface SweeperSettings {
  /** Between two sweeps; milliseconds, as all here. */
  sweepMs: number;
  /** An upload that did not grow for so long may be removed. */
  idleMaxMs: number;
}

/** The part of a staging area from which on its fullness is told. */
const NEARLY_FULL = 0.9;
/** Grants that are looked up at a time. */
const GRANTS_MAX = 1_000;
const MIB = 1024 ** 2;
const WHAT = 'sweeping the staging areas';

interface Observation {
  chunks: number;
  sinceMs: number;
}

/**
 * Removes what will not be fetched from the staging areas: uploads that broke off or were replaced, and files of attempts that are over, which a
 * scheduler that died left behind. How long an upload has not grown is what this process has seen itself, by its own
 * clock; several schedulers may sweep at a time. A file that is removed too early costs an upload: its worker still has it.
 */
@Injectable()
export class StagingSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Staging');
  private readonly outages: Outages;
  private observations = new Map<string, Observation>();
  /** Workers whose staging area was told to be nearly full. */
  private readonly nearlyFull = new Set<string>();
  private readonly stopping = new AbortController();
  private readonly wakeUp: WakeUp;
  private loop = Promise.resolve();

  constructor(
    @Inject(Bus) private readonly bus: Pick<Bus, 'stagingContents' | 'dropUpload'>,
    @Inject(AwaitedReports) private readonly awaitedReports: Pick<AwaitedReports, 'among'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SWEEPER_SETTINGS) private readonly settings: () => SweeperSettings,
  ) {
    this.outages = new Outages(this.logger, clock);
    this.wakeUp = new WakeUp(clock);
  }

  onApplicationBootstrap(): void {
    this.loop = this.run();
  }

  /** Resolves when nothing is swept any more. */
  beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.wakeUp.wake();
    return this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        await this.sweep();
        this.outages.succeeded(WHAT);
      } catch (error) {
        if (!this.stopping.signal.aborted) this.outages.failed(WHAT, String(error));
      }
      if (!this.stopping.signal.aborted) await this.wakeUp.wait(this.settings().sweepMs);
    }
  }

  private async sweep(): Promise<void> {
    const idle = await this.idleUploads();
    const brokenOff = await this.drop(idle.filter(({ name }) => name === null));
    if (brokenOff > 0)
      this.logger.log(`uploads that broke off, removed from the staging areas: ${brokenOff}`);
    const over = await this.drop(await this.unwanted(idle));
    if (over > 0) this.logger.log(`files of attempts that are over, removed from the staging areas: ${over}`);
  }

  private async idleUploads(): Promise<StagedUpload[]> {
    const { bus, clock } = this;
    const askedMs = clock.now();
    const contents = await bus.stagingContents(this.stopping.signal);
    const answeredMs = clock.now();
    this.tellFullness(contents);
    const uploads = contents.flatMap((area) => area.uploads);
    const { idleMaxMs } = this.settings();
    const before = this.observations;
    this.observations = new Map();
    return uploads.filter(({ id, chunks }) => {
      const known = before.get(id);
      const observation = known?.chunks === chunks ? known : { chunks, sinceMs: answeredMs };
      this.observations.set(id, observation);
      return askedMs - observation.sinceMs >= idleMaxMs;
    });
  }

  /** Whole files that no report is awaited for. */
  private async unwanted(idle: StagedUpload[]): Promise<StagedUpload[]> {
    const whole = idle.filter(({ name }) => name !== null);
    const grants = new Map<string, Grant>();
    for (const { name } of whole) {
      const grant = grantOfFile(name);
      if (grant) grants.set(keyOf(grant), grant);
    }
    const asked = [...grants.values()];
    const awaited = new Set<string>();
    for (let from = 0; from < asked.length; from += GRANTS_MAX) {
      const found = await this.awaitedReports.among(asked.slice(from, from + GRANTS_MAX));
      for (const grant of found) awaited.add(keyOf(grant));
    }
    return whole.filter(({ name }) => {
      const grant = grantOfFile(name);
      return !grant || !awaited.has(keyOf(grant));
    });
  }

  /** @returns how many were removed: not all when it is stopped */
  private async drop(uploads: StagedUpload[]): Promise<number> {
    let count = 0;
    for (const upload of uploads) {
      if (this.stopping.signal.aborted) break;
      await this.bus.dropUpload(upload);
      count++;
    }
    return count;
  }

  private tellFullness(contents: StagingContents[]): void {
    const full = contents.filter(({ bytes, bytesMax }) => bytes > bytesMax * NEARLY_FULL);
    for (const { worker, bytes, bytesMax } of full) {
      const holds = `holds ${Math.ceil(bytes / MIB)} of ${Math.floor(bytesMax / MIB)} MiB`;
      this.logger.warn(
        `the staging area of ${worker} ${holds}: while it is full, its results with files wait on its disk`,
      );
    }
    for (const worker of this.nearlyFull) {
      if (full.some((area) => area.worker === worker)) continue;
      this.nearlyFull.delete(worker);
      this.logger.log(`the staging area of ${worker} has room again`);
    }
    for (const { worker } of full) this.nearlyFull.add(worker);
  }
}

function grantOfFile(name: string | null): Grant | null {
  return name === null ? null : stagedGrant(name);
}

function keyOf(grant: Grant): string {
  return grantName(grant, '/');
}
