import { Injectable } from '@nestjs/common';
import type { RunRecord } from '@proctor/database';
import { RunLogs } from '../../logs/run-logs';
import { logPath } from '../../runs/page-paths';
import type { Html } from '../layout/html';
import { type LogPlace, nextPlace } from './live-lines';
import { openLogUrl } from './log-places';
import { tailHtml } from './log-view';

/** The lines of a live log that the page of its run shows. */
const TAIL = { lines: 10, bytes: 16 * 1024 };

/** The last lines of a live log. */
interface LastLines {
  lines: Html;
  /** The page with the whole log. */
  logUrl: string;
  /** The stream of the next lines, and the place at which they begin; null when the log is complete. */
  next: (LogPlace & { eventsUrl: string }) | null;
  /** Whether the log could be read. */
  isReached: boolean;
  /** The last message of the worker; empty if there is none. */
  note: string;
}

/** Loads the last lines of live logs. */
@Injectable()
export class LogTailService {
  constructor(private readonly logs: RunLogs) {}

  /** Returns null when no attempt of the run is running. */
  async find(run: RunRecord): Promise<LastLines | null> {
    if (run.state === 'finished' || run.state === 'queued') return null;
    const attempt = (await this.logs.attempts(run.runId)).at(-1);
    if (!attempt || attempt.outcome !== null) return null;
    const live = await this.logs.liveLog(run.runId, attempt, TAIL);
    const { log, tail, isReached, note } = live;
    const lines = log.index.lines === 0 ? [] : await log.lines(tail, TAIL);
    const eventsUrl = `${logPath(run)}/events?attempt=${attempt.attempt}`;
    return {
      lines: tailHtml(lines, log.index.marks, openLogUrl(run, attempt.attempt), logPath(run)),
      logUrl: logPath(run),
      next: attempt.endedAt === null ? { eventsUrl, ...nextPlace(live) } : null,
      isReached,
      note,
    };
  }
}
