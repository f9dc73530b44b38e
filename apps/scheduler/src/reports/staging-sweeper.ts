import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Bus, Outages, type StagedUpload, type StagingContents } from '@proctor/bus';
import { WorkLoop, type Clock } from '@proctor/clock';
import { grantName, stagedGrant, type Grant } from '@proctor/contracts';
import { AwaitedReports } from '@proctor/database';
import { CLOCK } from '../configuration.token';

/** Injection token of a function that returns the current SweeperSettings. */
export const SWEEPER_SETTINGS = Symbol('sweeper settings');

export interface SweeperSettings {
  /** The pause between two sweeps; milliseconds, as everywhere here. */
  sweepMs: number;
  /** An upload that has not grown for this time may be removed. */
  idleMaxMs: number;
  /** The maximum number of uploads whose growth is observed; others wait. */
  observedMax: number;
}

/** A staging area above this part is logged. */
const NEARLY_FULL = 0.9;
/** How many grants one query checks. */
const GRANTS_MAX = 1_000;
const MIB = 1024 ** 2;
const WHAT = 'sweeping the staging areas';

interface Observation {
  chunks: number;
  sinceMs: number;
}

/**
 * Removes staged files that no scheduler will read: uploads that broke off or were replaced, and files of past
 * attempts that a killed scheduler left. Each process measures by its own clock how long an upload has not grown;
 * several schedulers may sweep at the same time. A file that is removed too early costs an upload: its worker still
 * has it.
 */
@Injectable()
export class StagingSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Staging');
  private readonly outages: Outages;
  private observations = new Map<string, Observation>();
  /** The observations of the sweep in progress. */
  private currentObservations = new Map<string, Observation>();
  /** Workers whose staging area was logged as nearly full. */
  private readonly nearlyFull = new Set<string>();
  private readonly stopping = new AbortController();
  private readonly loop: WorkLoop;

  constructor(
    @Inject(Bus) private readonly bus: Pick<Bus, 'listStaging' | 'deleteUpload' | 'deleteStray'>,
    @Inject(AwaitedReports) private readonly awaitedReports: Pick<AwaitedReports, 'among'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SWEEPER_SETTINGS) private readonly settings: () => SweeperSettings,
  ) {
    this.outages = new Outages(this.logger, clock);
    this.loop = new WorkLoop(clock, () => this.step());
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** Resolves when sweeping has ended. */
  beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    return this.loop.stop();
  }

  private async step(): Promise<number> {
    try {
      await this.sweep();
      this.outages.onSuccess(WHAT);
    } catch (error) {
      if (!this.stopping.signal.aborted) this.outages.onFailure(WHAT, String(error));
    }
    return this.settings().sweepMs;
  }

  /** Sweeps one area after the other, so that memory holds the list of one area. */
  private async sweep(): Promise<void> {
    const removed = { brokenOff: 0, over: 0, strays: 0 };
    const full: string[] = [];
    this.currentObservations = new Map();
    try {
      let askedMs = this.clock.now();
      for await (const area of this.bus.listStaging(this.stopping.signal)) {
        if (this.warnIfFull(area)) full.push(area.worker);
        const idle = this.idleUploads(area, askedMs);
        removed.strays += await this.remove(area.strays, (stray) => this.bus.deleteStray(area.worker, stray));
        const brokenOff = idle.filter(({ name }) => name === null);
        removed.brokenOff += await this.remove(brokenOff, (upload) => this.bus.deleteUpload(upload));
        removed.over += await this.remove(await this.findUnwanted(idle), (upload) =>
          this.bus.deleteUpload(upload),
        );
        askedMs = this.clock.now();
      }
      this.observations = this.currentObservations;
      this.logRoom(full);
    } finally {
      this.logRemoved(removed);
    }
  }

  private idleUploads({ uploads }: StagingContents, askedMs: number): StagedUpload[] {
    const answeredMs = this.clock.now();
    const { idleMaxMs, observedMax } = this.settings();
    return uploads.filter(({ worker, id, chunks }) => {
      const key = `${worker} ${id}`;
      const earlier = this.observations.get(key);
      const observation = earlier?.chunks === chunks ? earlier : { chunks, sinceMs: answeredMs };
      if (this.currentObservations.size < observedMax) this.currentObservations.set(key, observation);
      return askedMs - observation.sinceMs >= idleMaxMs;
    });
  }

  /** Complete files without an awaited report. */
  private async findUnwanted(idle: StagedUpload[]): Promise<StagedUpload[]> {
    const whole = idle.filter(({ name }) => name !== null);
    const grants = new Map<string, Grant>();
    for (const { name } of whole) {
      const grant = grantOfFile(name);
      if (grant) grants.set(keyOf(grant), grant);
    }
    const grantList = [...grants.values()];
    const awaited = new Set<string>();
    for (let from = 0; from < grantList.length; from += GRANTS_MAX) {
      const batch = await this.awaitedReports.among(grantList.slice(from, from + GRANTS_MAX));
      for (const grant of batch) awaited.add(keyOf(grant));
    }
    return whole.filter(({ name }) => {
      const grant = grantOfFile(name);
      return !grant || !awaited.has(keyOf(grant));
    });
  }

  /** @returns the number of removed items: fewer if it is stopped */
  private async remove<Item>(items: Item[], remove: (item: Item) => Promise<void>): Promise<number> {
    let count = 0;
    for (const item of items) {
      if (this.stopping.signal.aborted) break;
      await remove(item);
      count++;
    }
    return count;
  }

  private logRemoved({ brokenOff, over, strays }: { brokenOff: number; over: number; strays: number }): void {
    if (brokenOff > 0)
      this.logger.log(`uploads that broke off, removed from the staging areas: ${brokenOff}`);
    if (over > 0) this.logger.log(`files of attempts that are over, removed from the staging areas: ${over}`);
    if (strays > 0)
      this.logger.warn(`messages that are part of no upload, removed from the staging areas: ${strays}`);
  }

  private warnIfFull({ worker, bytes, bytesMax, messages, messagesMax }: StagingContents): boolean {
    const holds: string[] = [];
    if (bytes > bytesMax * NEARLY_FULL)
      holds.push(`${Math.ceil(bytes / MIB)} of ${Math.floor(bytesMax / MIB)} MiB`);
    if (messagesMax > 0 && messages > messagesMax * NEARLY_FULL)
      holds.push(`${messages} of ${messagesMax} messages`);
    if (holds.length === 0) return false;
    this.nearlyFull.add(worker);
    this.logger.warn(
      `the staging area of ${worker} holds ${holds.join(' and ')}: while it is full, its results with files wait on its disk`,
    );
    return true;
  }

  private logRoom(full: string[]): void {
    for (const worker of this.nearlyFull) {
      if (full.includes(worker)) continue;
      this.nearlyFull.delete(worker);
      this.logger.log(`the staging area of ${worker} has room again`);
    }
  }
}

function grantOfFile(name: string | null): Grant | null {
  return name === null ? null : stagedGrant(name);
}

function keyOf(grant: Grant): string {
  return grantName(grant, '/');
}
