import { Logger } from '@nestjs/common';
import type { Clock } from '@proctor/clock';
import {
  DispatcherState,
  StaleEpoch,
  type AttemptToStop,
  type DispatcherMessage,
  type DispatchSettings,
  type Journal,
  type MessageKind,
  type MessageOf,
  type Replies,
} from '@proctor/dispatch';
import type { Tenure } from '../ownership/tenure';
import { Mailbox, type Letter } from './mailbox';
import { News, type NewsSettings } from './news';
import { NotHandled, NotOwner, takeTurn } from './turn';

export interface ActorSettings extends NewsSettings {
  mailboxLengthMax: number;
  turnMessagesMax: number;
  dispatch: DispatchSettings;
}

/** The outside of an actor. */
export interface ActorPorts {
  journal: Journal;
  clock: Clock;
  /** Whether messages of workers can reach this process now. */
  isHearing(): boolean;
  /** Tells idle workers of the architecture to ask again. */
  signalWorkWaiting(arch: string): void;
  /** Tells a worker to end an attempt at once. */
  signalStop(stop: AttemptToStop): void;
  /** What happened to runs of the architecture was committed. */
  factsCommitted(arch: string): void;
}

/** Messages of a failed turn that fail alone, one after the other, before the rest of the turn is refused too. */
const FAILURES_IN_A_ROW_MAX = 3;
/** Characters of a refused message in the log. */
const LOGGED_MESSAGE_LENGTH_MAX = 1000;

/**
 * The single writer of one architecture's suite queues and leases. It lives for one tenure: a loop of turns, each
 * of which handles a batch of messages, commits all writes at once and only then answers.
 */
export class DispatcherActor {
  private readonly logger: Logger;
  private readonly mailbox: Mailbox;
  private readonly news: News;
  private state: DispatcherState | null = null;
  /** What the actor tells itself; handled by the next turn. */
  private notices: DispatcherMessage[] = [];
  private reportsDrained = false;
  private latestMs = -Infinity;
  private stopped = false;
  private endRest = (): void => undefined;
  private readonly loop: Promise<void>;

  /** Begins to work at once. */
  constructor(
    private readonly tenure: Tenure,
    private readonly ports: ActorPorts,
    private settings: ActorSettings,
  ) {
    this.logger = new Logger(`Dispatcher ${tenure.arch}`);
    this.mailbox = new Mailbox(settings.mailboxLengthMax, () => this.state && this.endRest());
    this.news = new News(tenure.arch, ports.journal, this.logger, () => this.settings);
    this.loop = this.run().catch((error) => this.stepDown(error));
  }

  /**
   * Resolves with the reply once it is committed.
   * @throws MailboxFull, NotOwner, NotHandled, or whatever made the message fail
   */
  ask<K extends MessageKind>(message: MessageOf<K>): Promise<Replies[K]> {
    if (this.stopped || !this.tenure.holds()) return Promise.reject(new NotOwner(this.tenure.arch));
    return this.mailbox.offer<K>(message);
  }

  /** Runs were committed by somebody: do not wait for the next poll. */
  lookForArrivals(): void {
    this.news.lookForArrivals();
    if (this.state) this.endRest();
  }

  /** The same for orders. */
  lookForOrders(): void {
    this.news.lookForOrders();
    if (this.state) this.endRest();
  }

  /** The backlog of reports that waited for this owner has been handled. */
  setReportsDrained(): void {
    this.reportsDrained = true;
    this.notice({ kind: 'reports-drained' });
  }

  /** The configuration has changed: the next turn goes by the new one. */
  reconfigure(settings: ActorSettings): void {
    this.settings = settings;
    this.mailbox.lengthMax = settings.mailboxLengthMax;
    this.notice({ kind: 'settings', settings: settings.dispatch });
    // A shorter interval begins at once.
    this.lookForArrivals();
  }

  /** Messages of workers could not come for a while: no lease expires for that. */
  heardAgain(): void {
    this.notice({ kind: 'tick', hearing: false });
  }

  /** Resolves when the turn in progress has ended; whoever still waits for a reply is refused. */
  stop(): Promise<void> {
    this.stopped = true;
    this.mailbox.rejectAll(new NotOwner(this.tenure.arch));
    this.endRest();
    return this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      this.state ??= await this.load();
      const wakeMs = this.state ? this.nextWakeMs(this.state) : this.time() + this.settings.reloadDelayMs;
      if (this.state && (this.hasMail() || wakeMs <= this.time())) await this.turn(this.state);
      else await this.rest(wakeMs);
    }
  }

  private async load(): Promise<DispatcherState | null> {
    const { arch, epoch } = this.tenure;
    try {
      const loaded = await this.ports.journal.load(arch, this.settings.dispatch.fairShare.halfLifeMs);
      const { length } = loaded.runs;
      this.notices = this.reportsDrained ? [{ kind: 'reports-drained' }] : [];
      this.logger.log(`loaded ${length} runs, epoch ${epoch}`);
      if (length > 0) this.ports.signalWorkWaiting(arch);
      return new DispatcherState(arch, epoch, this.settings.dispatch, loaded, this.time());
    } catch (error) {
      this.logger.error(`the runs could not be loaded: ${String(error)}`);
      this.mailbox.rejectAll(new NotHandled('the dispatcher cannot load its runs', { cause: error }));
      return null;
    }
  }

  private async turn(state: DispatcherState): Promise<void> {
    const letters = this.mailbox.take(this.settings.turnMessagesMax);
    const notices = this.notices;
    this.notices = [];
    // First of all, so that no cancelled run is granted.
    const first = [...(await this.news.orders(this.time())), ...notices];
    const last = [...(await this.news.arrivals(this.time())), ...this.dueTick(state)];
    try {
      await this.handle(state, [...first.map(unanswered), ...letters, ...last.map(unanswered)]);
    } catch (error) {
      await this.recover(letters, error);
    }
  }

  private async handle(state: DispatcherState, letters: Letter[]): Promise<void> {
    const { journal } = this.ports;
    const { workWaiting, stops, hasWritten } = await takeTurn(
      state,
      letters,
      this.time(),
      journal,
      this.tenure,
    );
    if (workWaiting) this.ports.signalWorkWaiting(this.tenure.arch);
    for (const stop of stops) this.ports.signalStop(stop);
    if (hasWritten) this.ports.factsCommitted(this.tenure.arch);
  }

  /** Comes after everything that was heard, so that no lease expires whose renewal waits in the mailbox. */
  private dueTick(state: DispatcherState): DispatcherMessage[] {
    const deadlineMs = state.nextDeadlineMs;
    if (deadlineMs === null || deadlineMs > this.time() || this.mailbox.length > 0) return [];
    return [{ kind: 'tick', hearing: this.ports.isHearing() }];
  }

  /** A turn failed: what it changed in memory is thrown away, and its messages are tried one by one. */
  private async recover(letters: Letter[], failure: unknown): Promise<void> {
    this.state = null;
    if (isOver(failure)) {
      refuse(letters, failure);
      throw failure;
    }
    this.logger.warn(`a turn of ${letters.length} messages failed, loading again: ${String(failure)}`);
    this.news.lookLater(this.time());
    let failuresInARow = 0;
    for (const [place, letter] of letters.entries()) {
      if (failuresInARow < FAILURES_IN_A_ROW_MAX) this.state ??= await this.load();
      if (!this.state) return refuse(letters.slice(place), new NotHandled(String(failure)));
      failuresInARow = (await this.succeedsAlone(this.state, letter)) ? 0 : failuresInARow + 1;
    }
  }

  private async succeedsAlone(state: DispatcherState, letter: Letter): Promise<boolean> {
    try {
      await this.handle(state, [letter]);
      return true;
    } catch (error) {
      this.state = null;
      letter.reject(asError(error));
      if (isOver(error)) throw error;
      const text = JSON.stringify(letter.message).slice(0, LOGGED_MESSAGE_LENGTH_MAX);
      this.logger.error(`refused, it fails alone: ${text}: ${String(error)}`);
      return false;
    }
  }

  /** Ends the tenure; the loop is over. */
  private stepDown(reason: unknown): void {
    this.state = null;
    this.stopped = true;
    this.mailbox.rejectAll(new NotOwner(this.tenure.arch));
    this.tenure.giveUp(String(reason));
  }

  private notice(message: DispatcherMessage): void {
    this.notices.push(message);
    if (this.state) this.endRest();
  }

  private hasMail(): boolean {
    return this.mailbox.length > 0 || this.notices.length > 0;
  }

  private nextWakeMs(state: DispatcherState): number {
    return Math.min(this.news.dueMs, state.nextDeadlineMs ?? Infinity);
  }

  private rest(untilMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.ports.clock.after(Math.max(0, untilMs - this.time()), resolve);
      this.endRest = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Never decreases. */
  private time(): number {
    this.latestMs = Math.max(this.latestMs, this.ports.clock.now());
    return this.latestMs;
  }
}

function isOver(error: unknown): boolean {
  return error instanceof StaleEpoch || error instanceof NotOwner;
}

function refuse(letters: Letter[], reason: unknown): void {
  for (const letter of letters) letter.reject(asError(reason));
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** What the actor tells itself has nobody who waits for the reply. */
function unanswered(message: DispatcherMessage): Letter {
  return { message, resolve: () => undefined, reject: () => undefined };
}
