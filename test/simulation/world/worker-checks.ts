import type { FinishedReport, WorkerStanding } from '@proctor/contracts';
import type { Order, Write } from '@proctor/dispatch';
import type { MemoryBooks, RunRow } from '../memory-books';
import { titleOf } from './result-checks';

type RunWrite = Extract<Write, { runId: number }>;
type Judgement = Extract<Write, { kind: 'judge-worker' }>;
type Grant = Extract<Write, { kind: 'grant' }>;

/** Knows which workers live, what is thought of them and what they may do. */
export class WorkerChecks {
  /** Incarnations of the worker processes that live. */
  private readonly living = new Set<string>();
  /** The standings of workers that are not sound; the keys are worker and architecture. */
  private readonly standings = new Map<string, WorkerStanding>();
  /** Workers whose trust a dispatcher has read and not applied yet; the keys are worker and architecture. */
  private readonly trusted = new Set<string>();

  constructor(private readonly require: (condition: unknown, violation: string) => void) {}

  lifeBegins(incarnation: string): void {
    this.living.add(incarnation);
  }

  lifeEnds(incarnation: string): void {
    this.living.delete(incarnation);
  }

  /** The database was restored: later judgements no longer count. */
  restored(): void {
    this.standings.clear();
    this.trusted.clear();
  }

  orderIngested(arch: string, order: Order | undefined): void {
    const place = order?.kind === 'trust' ? `${order.worker} ${arch}` : '';
    if (this.standings.has(place)) this.trusted.add(place);
  }

  judged(arch: string, { worker, standing, reason }: Judgement): void {
    const place = `${worker} ${arch}`;
    const isObeyed = !this.trusted.delete(place) || reason.startsWith('trusted by');
    this.require(isObeyed, `${place}: trusted, but judged ${standing} since ${reason}`);
    if (standing === 'sound') this.standings.delete(place);
    else this.standings.set(place, standing);
  }

  reportRefused({ register }: MemoryBooks, report: FinishedReport, isUnreadable: boolean): void {
    const isAllowed = isUnreadable || register.wasUnknown(report.worker);
    this.require(isAllowed, `${titleOf(report)}: its report was refused, though it can be read`);
  }

  granted(books: MemoryBooks, title: string, { worker }: Grant, { request }: RunRow): void {
    const { arch, isPrivate } = request;
    const isQuarantined = this.standings.get(`${worker} ${arch}`) === 'quarantined';
    this.require(!isQuarantined, `${title}: granted to ${worker}, which is quarantined`);
    if (books.decisions.waiting(arch).length > 0) return;
    this.require(books.register.mayWork(worker, arch), `${title}: granted to ${worker}, which is revoked`);
    const isAllowed = !isPrivate || books.register.mayRunPrivate(worker);
    this.require(isAllowed, `${title}: granted to ${worker}, though it is private`);
    const isDrained = books.decisions.restrictions(arch).drains.some((drain) => drain.worker === worker);
    this.require(!isDrained, `${title}: granted to ${worker}, which is drained`);
  }

  runWritten(books: MemoryBooks, title: string, write: RunWrite, row: RunRow): void {
    this.checkLoss(title, write, row);
    this.checkSender(books, title, write, row);
  }

  /** When all had its time. */
  atTheEnd(): void {
    for (const place of this.trusted) this.require(false, `${place}: trusted, but not sound`);
  }

  /** A lease is lost with the process that held it, and not before. */
  private checkLoss(title: string, write: RunWrite, row: RunRow): void {
    const isLost =
      (write.kind === 'requeue' && write.outcome === 'lost') ||
      (write.kind === 'finish' && write.attemptOutcome === 'lost');
    const { incarnation = '', worker } = row.attempts.at(-1) ?? {};
    const isDead = !this.living.has(incarnation);
    this.require(!isLost || isDead, `${title}: taken from ${worker}, whose process was alive`);
  }

  /** A report changes something only when its worker may work, as far as its dispatcher can know. */
  private checkSender(books: MemoryBooks, title: string, write: RunWrite, row: RunRow): void {
    const isReported =
      write.kind === 'start' ||
      write.kind === 'correct' ||
      (write.kind === 'finish' && write.attemptOutcome === 'finished') ||
      (write.kind === 'requeue' && write.outcome === 'failed');
    const { worker = '' } = row.attempts.at(-1) ?? {};
    const { arch } = row.request;
    if (!isReported || books.decisions.waiting(arch).length > 0) return;
    const mayWork = books.register.mayWork(worker, arch);
    this.require(mayWork, `${title}: ${write.kind} by ${worker}, which is revoked`);
  }
}
