import { Injectable, Logger } from '@nestjs/common';
import type { Grant, LogChunk } from '@proctor/contracts';
import { Results } from '@proctor/database';
import type { AttemptRecord, RunRecord } from '@proctor/database';
import { contentFrom } from '@proctor/result-files';
import type { ArtifactsIndex, LogIndex, ReadingLimits } from '@proctor/result-files';
import { DispatcherClient } from '../dispatchers/dispatcher-client';
import { comeBack, notFound } from '../http/problem';
import { readerGone } from '../http/reading';
import { Indexes } from './indexes';
import { IndexedLog } from './indexed-log';
import type { LineLimits } from './indexed-log';
import { logSoFar, unreachedLog } from './log-so-far';
import type { LivePiece, LogSoFar } from './log-so-far';

/** How long the available part of a live log is read. */
export const SO_FAR_TIMEOUT_MS = 3_000;

/** How long the bytes before the requested one are read. */
const SKIP_MS = 3_000;

/** A read for a request stops when its client has gone, or with the signal. */
export function readingLimits(late?: AbortSignal): ReadingLimits {
  const ends = [readerGone(), late].filter((signal) => signal !== undefined);
  return { signal: AbortSignal.any(ends), skipMs: SKIP_MS };
}

/** How long a client waits before it requests an unreadable live log again. */
const UNREACHED_MS = 5_000;

const LAST_LINE: LineLimits = { lines: 1, bytes: 1 };

/** The logs and artifacts of runs, by attempt. The caller checks who may read them. */
@Injectable()
export class RunLogs {
  private readonly logger = new Logger('RunLogs');

  constructor(
    private readonly results: Results,
    private readonly indexes: Indexes,
    private readonly dispatchers: DispatcherClient,
  ) {}

  attempts(runId: number): Promise<AttemptRecord[]> {
    return this.results.attemptsOf(runId);
  }

  /** @param number of the attempt; null: the latest @throws Problem 404 if the attempt does not exist */
  async attempt(runId: number, number: number | null): Promise<AttemptRecord> {
    const attempts = await this.attempts(runId);
    const record = number === null ? attempts.at(-1) : attempts.find(({ attempt }) => attempt === number);
    if (record) return record;
    throw notFound(
      number === null ? `Run ${runId} has not been started.` : `Run ${runId} has no attempt ${number}.`,
    );
  }

  /** The line with the error from the run's excerpt, in the log of the attempt; null if it is unknown. */
  async errorLine(run: Pick<RunRecord, 'runId' | 'attempt'>, attempt: number): Promise<number | null> {
    if (run.attempt !== attempt) return null;
    return (await this.results.errorOf(run.runId))?.excerpt.errorLine ?? null;
  }

  /**
   * @returns null if the store has no log of the attempt
   * @throws StoreUnavailable if the store does not answer; Error if the file is no gzip
   */
  async findStored(
    runId: number,
    { attempt, logSize }: Pick<AttemptRecord, 'attempt' | 'logSize'>,
  ): Promise<IndexedLog | null> {
    if (logSize === null) return null;
    const of = { runId, attempt };
    const [index, open] = [await this.indexes.log(of, logSize), this.indexes.opener(of, 'log.gz', logSize)];
    const bytesFrom = (offset: number, late?: AbortSignal) =>
      contentFrom(open, index.blocks, offset, readingLimits(late));
    return new IndexedLog(index, bytesFrom, this.indexes.times);
  }

  /**
   * The index of the log of a finished run, as its worker made it; null without one.
   * @throws StoreUnavailable if the store does not answer
   */
  async findIndex({ runId, attempt, logSize }: RunRecord): Promise<LogIndex | null> {
    return logSize === null ? null : this.indexes.storedLog({ runId, attempt }, logSize);
  }

  /** The pattern of lines with errors. */
  get errors(): RegExp {
    return this.indexes.errors;
  }

  /** The available part of a live log. @param tail how much of its end is returned */
  async liveLog(runId: number, attempt: AttemptRecord, tail: LineLimits = LAST_LINE): Promise<LogSoFar> {
    try {
      const open = (offset: number) => this.soFar(runId, attempt, offset);
      return await logSoFar(open, this.errors, tail, this.indexes.times);
    } catch (error) {
      this.logger.debug(`the live log of run ${runId} cannot be read: ${String(error)}`);
      return unreachedLog();
    }
  }

  /**
   * The stored log of an attempt, or the available part of its live log.
   * @throws Problem 503 if the live log cannot be read; the errors of `findStored`
   */
  async whole(runId: number, attempt: AttemptRecord): Promise<{ log: IndexedLog; isComplete: boolean }> {
    const stored = await this.findStored(runId, attempt);
    if (stored) return { log: stored, isComplete: true };
    const { log, isReached } = await this.liveLog(runId, attempt);
    if (!isReached)
      throw comeBack(503, `The live log of run ${runId} cannot be read at the moment.`, UNREACHED_MS);
    return { log, isComplete: false };
  }

  /** The archive of an attempt; null if there is none. @throws StoreUnavailable if the store does not answer */
  async artifacts({ runId }: RunRecord, { attempt, artifactsSize }: AttemptRecord) {
    if (artifactsSize === null) return null;
    const of = { runId, attempt };
    const index: ArtifactsIndex = await this.indexes.artifacts(of, artifactsSize);
    return { index, open: this.indexes.opener(of, 'artifacts.tar.gz', artifactsSize), size: artifactsSize };
  }

  /**
   * A file of that archive.
   * @throws Problem 404 if the archive has no such path; StoreUnavailable if the store does not answer
   */
  async artifact(run: RunRecord, attempt: AttemptRecord, path: string) {
    const archive = await this.artifacts(run, attempt);
    const member = archive?.index.members.find((each) => each.path === path);
    if (archive && member) return { archive, member };
    throw notFound(`Run ${run.runId} left no such file.`);
  }

  /** The published part of a live log, from an offset on. @throws NoAnswer without a connection */
  soFar(runId: number, attempt: AttemptRecord, offset: number): AsyncGenerator<LivePiece> {
    const signal = AbortSignal.timeout(SO_FAR_TIMEOUT_MS);
    return pieces(this.dispatchers.logSoFar(attempt.worker, grantOf(runId, attempt), signal), offset);
  }

  /**
   * The published part of a live log from an offset on, and all later pieces until the signal aborts.
   * @throws NoAnswer without a connection
   */
  live(
    runId: number,
    attempt: AttemptRecord,
    offset: number,
    signal: AbortSignal,
  ): AsyncGenerator<LivePiece> {
    return pieces(this.dispatchers.followLog(attempt.worker, grantOf(runId, attempt), signal), offset);
  }
}

function grantOf(runId: number, { attempt, epoch }: AttemptRecord): Grant {
  return { runId, attempt, grantEpoch: epoch };
}

/** Yields each byte once, in order, without those that the stream has removed. A worker may publish anything. */
export async function* pieces(chunks: AsyncIterable<LogChunk>, from: number): AsyncGenerator<LivePiece> {
  let next = from;
  for await (const chunk of chunks as AsyncIterable<Partial<LogChunk> | null>) {
    // A worker may have published any JSON.
    const { offset, data, isNote } = chunk ?? {};
    if (!Number.isSafeInteger(offset) || typeof data !== 'string') continue;
    const bytes = Buffer.from(data, 'base64');
    if (isNote === true) {
      yield { offset: next, data: bytes, isNote };
      continue;
    }
    const overlap = Math.max(0, next - offset!);
    if (offset! < 0 || overlap >= bytes.length) continue;
    next = offset! + bytes.length;
    yield { offset: offset! + overlap, data: bytes.subarray(overlap), isNote: false };
  }
}

/**
 * Adds a mark for the error, because its line may not look like one: silent failures, and the cause before a
 * consequence.
 */
export function withMark(index: LogIndex, error: number | null): LogIndex {
  // A report may name a line that the log does not have.
  if (error === null || error < 1 || error > index.lines || index.marks.includes(error)) return index;
  const marks = [...index.marks, error].sort((one, other) => one - other);
  return { ...index, marks, marksTotal: index.marksTotal + 1 };
}
