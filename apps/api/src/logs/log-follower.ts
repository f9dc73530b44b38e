import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import type { Request, Response } from 'express';
import { EventEmitter } from 'node:events';
import { systemClock, WakeUp } from '@proctor/clock';
import { SUBJECTS } from '@proctor/contracts';
import { asBackgroundWork } from '@proctor/database';
import type { AttemptRecord } from '@proctor/database';
import { DispatcherClient } from '../dispatchers/dispatcher-client';
import { type Bounds, closing, HeldConnections } from '../http/held-connections';
import { RunLogs } from './run-logs';
import type { LivePiece } from './log-so-far';

interface FollowSettings {
  /** How often the follower checks whether an attempt has ended, if no signal comes. */
  askEveryMs: number;
  /** The shortest time between two checks. */
  askAtMostEveryMs: number;
}

export const FOLLOW_SETTINGS: FollowSettings = {
  askEveryMs: 5_000,
  askAtMostEveryMs: 500,
};
export const FOLLOW_SETTINGS_TOKEN = Symbol('FollowSettings');

/** Each followed log is read from NATS. */
const BOUNDS: Bounds = { connectionsMax: 200, connectionsPerAddressMax: 50 };

/** What a follower of a log gets: pieces, and at the end the outcome of the attempt. */
export type LogEvent = ({ kind: 'piece' } & LivePiece) | { kind: 'end'; attempt: AttemptRecord };

/**
 * Follows logs from an offset on: the live log, and after the attempt the rest of the stored log, which begins with
 * the same bytes. So no byte is missing or sent twice.
 */
@Injectable()
export class LogFollower implements OnModuleDestroy {
  private readonly logger = new Logger('LogFollower');
  private readonly changes = new EventEmitter<{ results: [] }>().setMaxListeners(0);
  private readonly closing = new AbortController();

  constructor(
    private readonly logs: RunLogs,
    private readonly connections: HeldConnections,
    dispatchers: DispatcherClient,
    @Inject(FOLLOW_SETTINGS_TOKEN) private readonly settings: FollowSettings,
  ) {
    dispatchers.listen(SUBJECTS.resultsChanged, () => void this.changes.emit('results'));
  }

  onModuleDestroy(): void {
    this.closing.abort();
  }

  /**
   * The end of the response, or of the process, ends it.
   * @param number of the attempt
   * @param response of the follower
   * @throws Problem 404 if the attempt does not exist; 429 or 503 if too many logs are followed
   */
  async follow(
    runId: number,
    number: number | null,
    offset: number,
    request: Request,
    response: Response,
  ): Promise<AsyncGenerator<LogEvent>> {
    this.connections.add(request, response, 'logs', BOUNDS);
    const attempt = await this.logs.attempt(runId, number);
    return this.events(runId, attempt, offset, this.until(response));
  }

  /** Follows a live log from its first byte. A stored log is not sent: the caller reads it. @throws like `follow` */
  async followLive(
    runId: number,
    number: number | null,
    request: Request,
    response: Response,
  ): Promise<AsyncGenerator<LogEvent>> {
    this.connections.add(request, response, 'logs', BOUNDS);
    const attempt = await this.logs.attempt(runId, number);
    return this.events(runId, attempt, 0, this.until(response), false);
  }

  private until(response: Response): AbortSignal {
    return AbortSignal.any([closing(response), this.closing.signal]);
  }

  private async *events(
    runId: number,
    first: AttemptRecord,
    offset: number,
    signal: AbortSignal,
    withStored = true,
  ): AsyncGenerator<LogEvent> {
    for (let [attempt, from] = [first, offset]; !signal.aborted;) {
      if (!withStored && attempt.logSize !== null) {
        yield { kind: 'end', attempt };
        return;
      }
      for await (const piece of this.part(runId, attempt, from, signal)) {
        yield { kind: 'piece', ...piece };
        if (!piece.isNote) from = piece.offset + piece.data.length;
      }
      if (isOver(attempt)) {
        yield { kind: 'end', attempt };
        return;
      }
      attempt = await asBackgroundWork(() => this.logs.attempt(runId, attempt.attempt));
    }
  }

  /** The content until the attempt has ended, as far as bus and store have it. */
  private async *part(
    runId: number,
    attempt: AttemptRecord,
    from: number,
    signal: AbortSignal,
  ): AsyncGenerator<LivePiece> {
    if (attempt.logSize !== null) {
      yield* this.storedPart(runId, attempt, from);
      return;
    }
    const [departure, over] = [new AbortController(), new AbortController()];
    const whileRead = AbortSignal.any([signal, departure.signal]);
    const ending = isOver(attempt)
      ? Promise.resolve()
      : this.untilOver(runId, attempt, whileRead).then(() => over.abort());
    try {
      if (isOver(attempt)) yield* this.logs.soFar(runId, attempt, from);
      else yield* this.logs.live(runId, attempt, from, AbortSignal.any([signal, over.signal]));
    } catch (error) {
      // Nothing can be read until the connection is back, or the attempt has ended.
      this.logger.debug(`the live log of run ${runId} cannot be read: ${String(error)}`);
      await Promise.race([ending, pause(this.settings.askEveryMs, signal)]);
    } finally {
      departure.abort();
    }
  }

  private async *storedPart(runId: number, attempt: AttemptRecord, from: number): AsyncGenerator<LivePiece> {
    const log = await this.logs.findStored(runId, attempt);
    let offset = from;
    if (!log || from >= log.index.bytes) return;
    for await (const data of log.bytesFrom(from)) {
      yield { offset, data, isNote: false };
      offset += data.length;
    }
  }

  /** Resolves when the attempt has ended, or with the signal. The database may be away meanwhile. */
  private async untilOver(runId: number, { attempt }: AttemptRecord, signal: AbortSignal): Promise<void> {
    const wakeUp = new WakeUp(systemClock);
    const wake = (): void => wakeUp.wake();
    this.changes.on('results', wake);
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        await wakeUp.wait(this.settings.askEveryMs);
        if (signal.aborted) return;
        const now = await asBackgroundWork(() => this.logs.attempt(runId, attempt)).catch(() => null);
        if (now && isOver(now)) return;
        await pause(this.settings.askAtMostEveryMs, signal);
      }
    } finally {
      this.changes.off('results', wake);
      signal.removeEventListener('abort', wake);
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const wakeUp = new WakeUp(systemClock);
  const wake = (): void => wakeUp.wake();
  if (signal.aborted) return;
  signal.addEventListener('abort', wake, { once: true });
  await wakeUp.wait(ms);
  signal.removeEventListener('abort', wake);
}

/** Whether the worker has sent all of this log. */
function isOver({ outcome, endedAt }: AttemptRecord): boolean {
  return outcome !== null || endedAt !== null;
}
