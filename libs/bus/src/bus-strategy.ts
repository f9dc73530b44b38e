import { Logger } from '@nestjs/common';
import type { CustomTransportStrategy, MessageHandler } from '@nestjs/microservices';
// The index of the package loads every transport of Nest, and commands that need the bus would wait for that.
import { Server } from '@nestjs/microservices/server/server.js';
import { systemClock, waitAtMost, type Clock } from '@proctor/clock';
import {
  isOnSubject,
  isOfWorker,
  MalformedMessage,
  REFUSED_REPORTS,
  REQUEST_BYTES_MAX,
  REQUEST_LIMITS,
  requestingWorker,
  requestKind,
  REPORT_PREFIX,
  type RefusedReport,
  type RequestLimits,
  type ReportOrigin,
} from '@proctor/contracts';
import { growingPauseMs } from '@proctor/pauses';
import { withLogFields } from '@proctor/process';
import { lastValueFrom } from 'rxjs';
import { failureText, parseBody } from './body';
import { RetryLater, type Bus, type BusMessage, type ReportMessage, type ReportRefusal } from './bus';
import { BusContext } from './bus-context';
import { Complaints } from './complaints';
import { BUS_LIMITS } from './limits';
import { Outages } from './outages';
import { RequestGate } from './request-gate';
import { Serving } from './serving';
import { Turns } from './turns';

/** Flooded subjects that are remembered. */
const SHUNNED_MAX = 10_000;

/** A scope is one token of a subject. */
const SCOPE = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

type BusEvents = { reconnect: () => void };

/**
 * Connects Nest to the bus: `@MessagePattern` and `@EventPattern<string>` handlers whose pattern is one of SUBJECTS or
 * REQUEST_PATTERNS with its `*`, of REPORT_PATTERNS, or REFUSED_REPORTS. Patterns of architectures are received for the
 * architectures that are served, patterns of workers (isOfWorker) for the worker. Payloads are plain JSON.
 */
export class BusStrategy extends Server<BusEvents> implements CustomTransportStrategy {
  protected override readonly logger = new Logger('Bus');
  private readonly servings = new Map<string, Serving>();
  private readonly handling = new Set<Promise<void>>();
  private readonly outages: Outages;
  private readonly complaints: Complaints;
  private readonly gate: RequestGate;
  private readonly turns: Turns;
  /** Subject → how often in a row it was not received for a while, and until when. */
  private readonly shunned = new Map<string, { inARow: number; untilMs: number }>();

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock = systemClock,
    private readonly drainTimeoutMs = BUS_LIMITS.drainTimeoutMs,
    private readonly requestLimits: RequestLimits = REQUEST_LIMITS,
  ) {
    super();
    this.outages = new Outages(this.logger, clock);
    this.complaints = new Complaints(this.logger, clock);
    this.gate = new RequestGate(requestLimits, clock, this.logger);
    this.turns = new Turns(clock);
  }

  listen(callback: (error?: unknown) => void): void {
    callback();
  }

  /** Stops receiving and waits for the running handlers, at most `drainTimeoutMs`. */
  async close(): Promise<void> {
    this.gate.close();
    this.turns.close();
    await Promise.all([...this.servings.keys()].map((what) => this.stopServing(what)));
    await waitAtMost(Promise.allSettled(this.handling), this.drainTimeoutMs, this.clock);
  }

  on<Event extends keyof BusEvents>(_event: Event, callback: BusEvents[Event]): void {
    this.bus.onReconnect(callback);
  }

  unwrap<T>(): T {
    return this.bus as T;
  }

  /**
   * Receives the requests, signals and reports of an architecture. Resolves when all subscriptions are in effect, or
   * when the architecture is withdrawn before that. While NATS cannot be reached it keeps trying.
   * @throws Error if the architecture is served already or is not one token of a subject
   */
  async serve(arch: string): Promise<void> {
    await this.subscribe(arch, arch, (template) => !isOfWorker(template));
  }

  /** Receives what is sent to one worker; otherwise like serve. */
  async serveWorker(worker: string): Promise<void> {
    await this.subscribe(`worker ${worker}`, worker, isOfWorker);
  }

  /** Stops receiving for an architecture; resolves when its running report handlers are done, within a limit. */
  withdraw(arch: string): Promise<void> {
    return this.stopServing(arch);
  }

  /** See Bus.prepareReports. */
  prepareReports(arch: string, workers: readonly string[]): Promise<void> {
    return this.bus.prepareReports(arch, workers);
  }

  /** See Bus.listWaitingReports. */
  listWaitingReports(arch: string): Promise<ReportOrigin[]> {
    return this.bus.listWaitingReports(arch);
  }

  /** @param what identifies the serving: a worker may have the name of an architecture */
  private async subscribe(
    what: string,
    scope: string,
    isMeant: (template: string) => boolean,
  ): Promise<void> {
    if (!SCOPE.test(scope)) throw new Error(`"${scope}" cannot be part of a subject`);
    if (this.servings.has(what)) throw new Error(`${what} is served already`);
    const templates = [...this.messageHandlers.keys()].filter(isMeant);
    const serving = new Serving(this.bus, scope, this.clock);
    this.servings.set(what, serving);
    for (const template of templates.filter((each) => !isReport(each))) {
      serving.subscribe(template.replace('*', scope), (message) => this.receive(template, scope, message));
    }
    await serving.start(
      templates.some(isReport)
        ? { handle: (report) => this.handleReport(scope, report), refuse: this.refusalOf(scope) }
        : null,
    );
  }

  private async stopServing(what: string): Promise<void> {
    const serving = this.servings.get(what);
    this.servings.delete(what);
    await serving?.stop();
  }

  private async handleReport(scope: string, { subject, text, redelivered }: ReportMessage): Promise<unknown> {
    const template = [...this.messageHandlers.keys()].find(
      (each) => isReport(each) && each !== REFUSED_REPORTS && isOnSubject(each, subject),
    );
    if (!template) throw new MalformedMessage('no handler takes this report');
    return this.run(template, parseBody(text), new BusContext([scope, subject, redelivered]));
  }

  private refusalOf(scope: string): ReportRefusal | undefined {
    if (!this.messageHandlers.has(REFUSED_REPORTS)) return undefined;
    return async ({ subject, redelivered }, reason) => {
      const refusal: RefusedReport = { reason };
      await this.run(REFUSED_REPORTS, refusal, new BusContext([scope, subject, redelivered]));
    };
  }

  /** A worker's request that is too long is refused before it is read; one that comes too often waits. */
  private receive(template: string, scope: string, message: BusMessage): void {
    const kind = requestKind(template);
    if (kind === null) return this.start(template, scope, message);
    const bytes = message.bytes ?? Buffer.byteLength(message.text);
    const sender = `worker ${requestingWorker(message.subject)} (${scope}, ${kind})`;
    this.gate.receive(sender, {
      bytes,
      isTooLong: bytes > REQUEST_BYTES_MAX[kind],
      start: (notice) => {
        if (bytes > REQUEST_BYTES_MAX[kind]) this.refuseLong(sender, message, bytes, REQUEST_BYTES_MAX[kind]);
        else {
          const begin = (): void => this.start(template, scope, message, notice);
          this.turns.add({ rank: kind === 'renew' ? 0 : 1, sender, bytes, start: begin });
        }
      },
      refuse: (why) => {
        message.respond?.(failureText(new Error(why)));
        this.shun(message.subject);
      },
    });
  }

  private refuseLong(sender: string, message: BusMessage, bytes: number, bytesMax: number): void {
    const error = new MalformedMessage(`the request has ${bytes} bytes, of at most ${bytesMax}`);
    this.complaints.about(sender, `${message.subject} failed: malformed: ${error.message}`);
    message.respond?.(failureText(error));
  }

  private shun(subject: string): void {
    const { shunMinMs, shunMaxMs } = this.requestLimits;
    const now = this.clock.now();
    const before = this.shunned.get(subject);
    if (before && now < before.untilMs) return;
    const isAgain = before !== undefined && now - before.untilMs < shunMaxMs;
    const inARow = isAgain ? before.inARow + 1 : 1;
    const forMs = growingPauseMs(shunMinMs, shunMaxMs, inARow);
    if (this.shunned.size >= SHUNNED_MAX) this.shunned.clear();
    this.shunned.set(subject, { inARow, untilMs: now + forMs });
    this.bus.shun(subject, forMs);
  }

  private start(template: string, scope: string, message: BusMessage, notice?: string): void {
    const context = new BusContext([scope, message.subject, false, message.from]);
    const fields = message.request === undefined ? {} : { request: message.request };
    const answered = withLogFields(fields, () => this.answer(template, message, context, notice));
    const handled: Promise<void> = answered.finally(() => this.handling.delete(handled));
    this.handling.add(handled);
  }

  private async answer(
    template: string,
    message: BusMessage,
    context: BusContext,
    notice?: string,
  ): Promise<void> {
    try {
      const value = await this.run(template, parseBody(message.text), context);
      this.outages.onSuccess(message.subject);
      message.respond?.(JSON.stringify(withNotice(value ?? null, notice)));
    } catch (error) {
      this.logFailure(message.subject, error);
      message.respond?.(failureText(error));
    }
  }

  private logFailure(subject: string, error: unknown): void {
    if (error instanceof RetryLater) return this.outages.onFailure(subject, error.message);
    if (error instanceof MalformedMessage)
      return this.complaints.about(subject, `${subject} failed: malformed: ${error.message}`);
    this.logger.error(`${subject} failed`, error instanceof Error ? error.stack : error);
  }

  private async run(template: string, payload: unknown, context: BusContext): Promise<unknown> {
    const handler = this.messageHandlers.get(template) as MessageHandler<unknown, BusContext, unknown>;
    const result = this.transformToObservable(handler(payload, context));
    return lastValueFrom(result, { defaultValue: undefined });
  }
}

/** Adds the notice to the answer, unless the answer has one already. */
function withNotice(answer: unknown, notice: string | undefined): unknown {
  return notice === undefined || typeof answer !== 'object' ? answer : { notice, ...answer };
}

function isReport(template: string): boolean {
  return template.startsWith(REPORT_PREFIX);
}
