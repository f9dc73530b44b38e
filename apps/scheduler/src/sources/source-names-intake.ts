import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Bus, Complaints } from '@proctor/bus';
import type { Clock } from '@proctor/clock';
import {
  SOURCE_NAMES_BYTES_MAX,
  stagedSourceNames,
  type SourceNamesReply,
  type SourceNamesRequest,
} from '@proctor/contracts';
import { SourceNames } from '@proctor/database';
import { CLOCK, CONFIGURATION, type LiveSchedulerConfiguration } from '../configuration.token';
import { BadSourceNames, checkSourceNames } from './check-source-names';

/** The pause between two lists of one worker: to read one costs as much as many requests. */
export const WORKER_PAUSE_MS = 2_000;
/** The maximum number of requests of a worker in REQUESTS_PERIOD_MS; each costs a statement. */
export const REQUESTS_MAX = 50;
const REQUESTS_PERIOD_MS = 10_000;
/** How many workers are remembered; those without a recent request are removed. */
const WORKERS_MAX = 1_000;
/** If a staged list takes longer, it is read another time. */
const READ_TIMEOUT_MS = 30_000;

/**
 * Reads lists of the packages of suites from workers' staging areas into the database. One list is read at a time, so
 * that memory holds no more than one; it is checked in pieces.
 */
@Injectable()
export class SourceNamesIntake {
  private readonly logger = new Logger('Sources');
  private isReading = false;
  private readonly paces = new Map<string, Pace>();
  /** `suite/arch` → the last worker in the log. */
  private readonly logged = new Map<string, string>();
  private readonly complaints: Complaints;

  constructor(
    @Inject(SourceNames) private readonly names: Pick<SourceNames, 'confirm' | 'saveNames'>,
    @Inject(Bus) private readonly bus: Pick<Bus, 'readStaged' | 'deleteStaged'>,
    @Inject(CONFIGURATION) private readonly configuration: Pick<LiveSchedulerConfiguration, 'server'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.complaints = new Complaints(this.logger, clock);
  }

  /** @throws NoAnswer if the request cannot be handled now */
  async receive(arch: string, request: SourceNamesRequest): Promise<SourceNamesReply> {
    const { worker, suite, sha256, ageMs } = request;
    if (!this.configuration.server.suites.includes(suite))
      return { answer: 'refused', reason: `${suite} is no suite of this deployment` };
    const pace = this.paceOf(worker);
    pace.requests += 1;
    if (pace.requests > REQUESTS_MAX) return { answer: 'later' };
    const offered = { suite, arch, worker, sha256, ageMs };
    if (await this.names.confirm(offered)) return { answer: 'kept' };
    if (this.isReading || this.clock.now() - pace.readMs < WORKER_PAUSE_MS) return { answer: 'later' };
    this.isReading = true;
    try {
      return await this.read(offered, pace);
    } finally {
      this.isReading = false;
    }
  }

  private async read(offered: Offered, pace: Pace): Promise<SourceNamesReply> {
    const { suite, arch, worker, sha256 } = offered;
    const staged = stagedSourceNames(suite, arch);
    const content = await this.bus.readStaged(worker, staged);
    if (content === null) return { answer: 'upload' };
    try {
      const bytes = await this.contentOf(content);
      const isWhole = bytes && createHash('sha256').update(bytes).digest('hex') === sha256;
      if (!isWhole) return { answer: 'upload' };
      const count = await checkSourceNames(bytes);
      const isKept = await this.names.saveNames(offered, bytes);
      if (!isKept)
        return { answer: 'refused', reason: 'a newer list is known, or the worker is not registered' };
      this.logNewSource(offered, count);
      return { answer: 'kept' };
    } catch (error) {
      if (!(error instanceof BadSourceNames)) throw error;
      this.complaints.about(worker, `the packages of ${suite}, as ${worker} says: ${error.message}`);
      return { answer: 'refused', reason: error.message };
    } finally {
      pace.readMs = this.clock.now();
      await this.deleteStaged(worker, staged);
    }
  }

  private paceOf(worker: string): Pace {
    const now = this.clock.now();
    if (this.paces.size >= WORKERS_MAX)
      for (const [name, { sinceMs }] of this.paces)
        if (now - sinceMs >= REQUESTS_PERIOD_MS) this.paces.delete(name);
    const before = this.paces.get(worker);
    if (before && now - before.sinceMs < REQUESTS_PERIOD_MS) return before;
    const pace = { sinceMs: now, requests: 0, readMs: before?.readMs ?? -Infinity };
    this.paces.set(worker, pace);
    return pace;
  }

  /** Logs once for each worker that replaces another. */
  private logNewSource({ suite, arch, worker }: Offered, count: number): void {
    const place = `${suite}/${arch}`;
    if (this.logged.get(place) === worker) return;
    this.logged.set(place, worker);
    this.logger.log(`${worker} says that ${suite} has ${count} source packages on ${arch}`);
  }

  /** Reads the content; null if it is damaged. @throws BadSourceNames if it is too large, or reading takes too long */
  private async contentOf(content: Readable): Promise<Buffer | null> {
    const tooLate = new BadSourceNames('it takes too long to read');
    const cancel = this.clock.after(READ_TIMEOUT_MS, () => content.destroy(tooLate));
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > SOURCE_NAMES_BYTES_MAX)
          throw new BadSourceNames(`it has more than ${SOURCE_NAMES_BYTES_MAX} bytes`);
        chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof BadSourceNames) throw error;
      this.logger.warn(`a staged list cannot be read: ${String(error)}`);
      return null;
    } finally {
      cancel();
      content.destroy();
    }
    return Buffer.concat(chunks);
  }

  /** Deletes a staged content. If that fails, StagingSweeper removes it later. */
  private async deleteStaged(worker: string, staged: string): Promise<void> {
    await this.bus.deleteStaged(worker, staged).catch((error: unknown) => {
      this.logger.warn(`a list of ${worker} is left in its staging area: ${String(error)}`);
    });
  }
}

type Offered = Parameters<SourceNames['saveNames']>[0];

/** The recent requests of a worker. */
interface Pace {
  sinceMs: number;
  requests: number;
  /** When its latest list was read. */
  readMs: number;
}
