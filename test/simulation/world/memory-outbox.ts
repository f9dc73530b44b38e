import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  grantName,
  grantOf,
  KEPT_MAX,
  parseMessage,
  RecordedSignal,
  reportSubject,
  stagingName,
  SUBJECTS,
  subjectOf,
  type FinishedReport,
  type Grant,
  type StartedReport,
} from '@proctor/contracts';
import type { Deliver, ReportOutbox } from '@apps/worker/src/slot/ports';
import type { ProcessBus } from './process-bus';
import type { SimulatedProcess } from './simulated-process';

export interface KeptResult {
  arch: string;
  report: FinishedReport;
}

/** A machine's disk: outlives the processes. Keys are the names of grants. */
export type Disk = Map<string, KeptResult>;

export interface OutboxEvents {
  /** @throws when the disk is full */
  keeping(report: FinishedReport): void;
  isKept(report: FinishedReport): void;
  unkept(report: FinishedReport): void;
  /** Returns what is sent in its place. */
  reporting(report: FinishedReport): object;
  staged(worker: string, name: string): void;
  answered(signal: RecordedSignal, report: FinishedReport): void;
}

const RESEND_FIRST_MS = 5_000;
const RESEND_MAX_MS = 20_000;
/** What a disk takes to have written something. */
const DISK_MS = 20;
const CONTENT = Buffer.from('log');

export const LOG_FILE = {
  name: 'log.gz' as const,
  size: CONTENT.length,
  sha256: createHash('sha256').update(CONTENT).digest('hex'),
};

/** Delivers kept results again and again until the dispatcher has answered, as the product's outbox does. */
export class MemoryOutbox implements ReportOutbox {
  /** Results that are on no disk, and end with the process. */
  private readonly memory: Disk = new Map();
  private readonly listeners = new Map<string, (signal: RecordedSignal) => void>();

  constructor(
    worker: string,
    private readonly disk: Disk,
    private readonly bus: ProcessBus,
    private readonly process: SimulatedProcess,
    private readonly events: OutboxEvents,
  ) {
    bus.subscribe(subjectOf(SUBJECTS.recorded, worker), ({ text }) => {
      const signal = parseMessage(RecordedSignal, JSON.parse(text));
      this.listeners.get(keyOf(signal))?.(signal);
    });
    for (const key of disk.keys()) void this.deliver(key, disk);
  }

  reportStart(arch: string, report: StartedReport): void {
    this.bus.report(reportSubject(arch, 'started', report), report).catch(() => undefined);
  }

  async save(arch: string, report: FinishedReport): Promise<Deliver> {
    await new Promise<void>((resolve) => this.process.clock.after(DISK_MS, resolve));
    this.events.keeping(report);
    this.disk.set(keyOf(report), { arch, report });
    this.events.isKept(report);
    return () => this.deliver(keyOf(report), this.disk);
  }

  listWaiting(arch: string): Grant[] {
    const all = [...this.disk.values(), ...this.memory.values()];
    const reports = all.filter((each) => each.arch === arch);
    return reports.slice(0, KEPT_MAX).map(({ report }) => grantOf(report));
  }

  async reportUnsaved(arch: string, report: FinishedReport): Promise<void> {
    this.events.unkept(report);
    this.memory.set(keyOf(report), { arch, report });
    await this.deliver(keyOf(report), this.memory);
  }

  private async deliver(key: string, from: Disk): Promise<void> {
    let pauseMs = RESEND_FIRST_MS;
    let isStaged = false;
    for (let next = from.get(key); next; next = from.get(key)) {
      isStaged = await this.send(next, isStaged);
      const signal = await this.answer(key, pauseMs);
      pauseMs = Math.min(2 * pauseMs, RESEND_MAX_MS);
      if (!signal) continue;
      this.events.answered(signal, next.report);
      if (signal.answer !== 'upload-again') from.delete(key);
      isStaged = false;
    }
  }

  private async send({ arch, report }: KeptResult, isStaged: boolean): Promise<boolean> {
    try {
      const [file] = report.files;
      if (file && !isStaged) {
        const name = stagingName(report, file.name);
        await this.bus.stage(report.worker, name, Readable.from([CONTENT]));
        this.events.staged(report.worker, name);
      }
      await this.bus.report(reportSubject(arch, 'finished', report), this.events.reporting(report));
      return true;
    } catch {
      // Not delivered: it is sent again after the pause.
      return false;
    }
  }

  private answer(key: string, waitMs: number): Promise<RecordedSignal | null> {
    return new Promise((resolve) => {
      const cancel = this.process.clock.after(waitMs, () => resolve(null));
      this.listeners.set(key, (signal) => {
        cancel();
        resolve(signal);
      });
    });
  }
}

function keyOf(grant: Grant): string {
  return grantName(grant, '/');
}
