import { Logger } from '@nestjs/common';
import { WakeUp } from '@proctor/clock';
import {
  correct,
  machineFigures,
  openSlots,
  queueFigures,
  StaleEpoch,
  stateOfLoaded,
  type AttemptOfWorker,
  type DispatcherMessage,
  type DispatcherState,
  type MessageKind,
  type MessageOf,
  type Past,
  type Replies,
  type SlotsToWake,
  workerFigures,
} from '@proctor/dispatch';
import type { OwnershipTerm } from '../ownership/ownership-term';
import type { ActorPorts, ActorSettings, DispatcherFigures } from './actor-ports';
import { LimitedJournal } from './limited-journal';
import { envelopesToRetry, Mailbox, refuse, TickWatch, envelopeWithoutReply, type Envelope } from './mailbox';
import { LinesOfRows } from './lines-of-rows';
import { CommittedWork } from './committed-work';
import { NotHandled, NotOwner } from './not-handled';
import { WorkSignals } from './work-signals';
import { logJudgements, runTurn, type TurnOutcome } from './turn';
import { growingPauseMs } from '@proctor/pauses';

/** If this many messages of a failed turn in a row fail alone, the rest of the turn is refused. */
const FAILURES_IN_A_ROW_MAX = 3;
/** The longest pause between two attempts to load. */
const RELOAD_DELAY_MAX_MS = 10_000;
/** Characters of a refused message in the log. */
const LOGGED_MESSAGE_LENGTH_MAX = 1000;

/**
 * The single writer of one architecture's suite queues and leases, for one term of ownership. It runs a loop of turns:
 * each handles a batch of messages, commits all their writes in one transaction, and only then answers.
 *
 * The modes, and when each is entered and left:
 * - loading (`state` is null, not stopped): from the start, and again after `discard`. It ends when the runs are
 *   loaded. When loading fails, all waiting messages are refused, and the next attempt comes after a growing pause. New
 *   messages wait in the mailbox.
 * - serving (`state` is set): from the end of a load. A turn runs when a message or notice waits, when committed work
 *   is due, or when a deadline has passed; otherwise the loop rests. It ends by `discard`, or when the term is over.
 * - recovering (within `recover`): a turn has failed. Memory may differ from the rows, so it is discarded and loaded
 *   again, and the messages of the turn are tried one by one. It ends when each is handled or refused; then the actor
 *   serves, or loads.
 * - reloading (`mustLoad`): the configuration now wants whole lines in memory. The next round of the loop discards the
 *   state and loads.
 * - stopped (`stopped`): from `stop`, or from `stepDown` when a turn finds that the term is over. It is never left:
 *   what waits is refused with NotOwner, a turn in progress ends, and nothing is signalled.
 */
export class DispatcherActor {
  private readonly logger: Logger;
  private readonly mailbox: Mailbox;
  private readonly journal: LimitedJournal;
  private readonly committed: CommittedWork;
  private readonly linesOfRows: LinesOfRows;
  private readonly ticks: TickWatch;
  private state: DispatcherState | null = null;
  /** The state from which the next load in the same term continues. */
  private past: Past | undefined;
  private turnAtMs = -Infinity;
  private readonly signals: WorkSignals;
  /** Envelopes of the last turn whose writes the rows refused; the next turn handles them again. */
  private undone: Envelope[] = [];
  /** Messages of the actor to itself; the next turn handles them. */
  private notices: DispatcherMessage[] = [];
  private latestMs = -Infinity;
  /** How many loads in a row have failed. */
  private failedLoads = 0;
  private stopped = false;
  /** Whether the next load reads whole lines. */
  private mustLoad = false;
  private readonly wakeUp: WakeUp;
  private readonly loop: Promise<void>;

  /** Starts to work at once. */
  constructor(
    private readonly term: OwnershipTerm,
    private readonly ports: ActorPorts,
    private settings: ActorSettings,
  ) {
    this.logger = new Logger(`Dispatcher ${term.arch}`);
    this.wakeUp = new WakeUp(ports.clock);
    this.mailbox = new Mailbox(settings.mailboxLengthMax, () => this.state && this.wakeUp.wake());
    this.journal = new LimitedJournal(ports.journal, ports.clock, () => this.settings);
    this.committed = new CommittedWork(term.arch, this.journal, this.logger, () => this.settings);
    this.linesOfRows = new LinesOfRows(term.arch, this.journal, {
      time: () => this.time(),
      window: () => this.settings.dispatch.window,
      onCounted: (state, counts) => this.state === state && this.addNotice({ kind: 'counted', counts }),
      retryEnvelopes: (envelopes) => this.retryEnvelopes(envelopes),
    });
    this.ticks = new TickWatch(this.mailbox);
    this.signals = new WorkSignals(this.settings.arrivalPollMs, (slots) => this.signalWorkWaiting(slots));
    // The last turn may have left envelopes to handle again.
    const refuseRest = () => this.refuseAll(new NotOwner(term.arch));
    this.loop = this.run().catch(this.stepDown.bind(this)).finally(refuseRest);
  }

  /**
   * Resolves with the reply once the turn is committed.
   * @throws MailboxFull, NotOwner, NotHandled, or the error of the message
   */
  request<K extends MessageKind>(message: MessageOf<K>): Promise<Replies[K]> {
    if (this.stopped || !this.term.holds()) return Promise.reject(new NotOwner(this.term.arch));
    return this.mailbox.add<K>(message);
  }

  /** Another process has committed runs: do not wait for the next poll. */
  readArrivalsSoon(): void {
    this.committed.readArrivalsSoon();
    if (this.state) this.wakeUp.wake();
  }

  /** Another process has committed orders: do not wait for the next poll. */
  readOrdersSoon(): void {
    this.committed.readOrdersSoon();
    if (this.state) this.wakeUp.wake();
  }

  /** @param attempts their finished reports waited when this owner started, and still wait */
  setReportsWaiting(attempts: AttemptOfWorker[]): void {
    this.addNotice({ kind: 'reports-waiting', attempts });
  }

  /** The configuration has changed: the next turn uses the new settings. */
  reconfigure(settings: ActorSettings): void {
    const { runsMax } = settings.dispatch.window;
    if (runsMax === Infinity && this.settings.dispatch.window.runsMax < runsMax) this.mustLoad = true;
    this.settings = settings;
    this.mailbox.lengthMax = settings.mailboxLengthMax;
    this.addNotice({ kind: 'settings', settings: settings.dispatch });
    // A shorter poll interval has its effect at once.
    this.readArrivalsSoon();
  }

  /** Null while its runs are being loaded. */
  figures(): DispatcherFigures | null {
    if (!this.state) return null;
    const { state } = this;
    const now = this.time();
    return {
      epoch: state.epoch,
      mailbox: this.mailbox.length,
      queues: queueFigures(state, now),
      workers: workerFigures(state, now),
      slots: openSlots(state, now),
      machines: machineFigures(state, now),
    };
  }

  /** The connection is back: no lease expires because of the time without it. */
  onReachable(): void {
    this.addNotice({ kind: 'tick', workersReachable: false });
  }

  /** Resolves when the turn in progress has ended; messages that still wait for a reply are refused. */
  stop(): Promise<void> {
    this.stopped = true;
    this.refuseAll(new NotOwner(this.term.arch));
    this.wakeUp.wake();
    return this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      if (this.mustLoad && this.state) this.discard(this.state);
      this.state ??= await this.load();
      const wakeMs = this.state ? this.nextWakeMs(this.state) : this.time() + this.reloadPauseMs();
      if (this.state && (this.hasMail() || wakeMs <= this.time())) await this.turn(this.state);
      else await this.rest(wakeMs);
    }
  }

  private async load(): Promise<DispatcherState | null> {
    const { arch, epoch } = this.term;
    const fromMs = this.time();
    try {
      const { fairShare, window } = this.settings.dispatch;
      this.mustLoad = false;
      const loaded = await this.journal.load(arch, fairShare.halfLifeMs, window.runsMax);
      this.failedLoads = 0;
      this.logger.log(`loaded ${loaded.runs.length} runs, epoch ${epoch}`);
      if (loaded.runs.length > 0) this.signals.notifyAll(this.time());
      const state = stateOfLoaded(this.term, this.settings.dispatch, loaded, this.time(), this.past);
      this.past = undefined;
      this.committed.onLoaded(loaded.position);
      this.notifyOfWorkers(state);
      this.ports.watch?.onLoaded(state, this.time() - fromMs);
      return state;
    } catch (error) {
      this.failedLoads += 1;
      this.logger.error(`the runs could not be loaded: ${String(error)}`);
      this.refuseAll(new NotHandled('the dispatcher cannot load its runs', { cause: error }));
      return null;
    }
  }

  /** The state may differ from the rows: load again. */
  private discard(state: DispatcherState): void {
    if (this.state === state) this.past = { state, sinceMs: this.turnAtMs };
    this.state = null;
    // Counts belong to the lines of this state. All other notices are for the next state too.
    this.notices = this.notices.filter(({ kind }) => kind !== 'counted');
  }

  private async turn(state: DispatcherState): Promise<void> {
    const fromMs = this.time();
    const again = this.undone.splice(0);
    const envelopes = [...again, ...this.mailbox.removeFirst(this.settings.turnMessagesMax - again.length)];
    // Orders come first, so that no cancelled run is granted.
    const orders = await this.committed.readOrders(this.time(), state.lines.beyond.size === 0);
    try {
      const lines = await this.linesOfRows.readNext(state);
      const last = [...(await this.committed.readArrivals(this.time())), ...this.dueTick(state)];
      const first = [...orders, ...this.notices.splice(0), ...lines];
      await this.handle(state, [
        ...first.map(envelopeWithoutReply),
        ...envelopes,
        ...last.map(envelopeWithoutReply),
      ]);
      this.committed.onTurnCommitted(this.time() - fromMs, envelopes.length);
    } catch (error) {
      await this.recover(state, envelopes, error).catch((over: unknown) => {
        refuse(envelopes, over);
        throw over;
      });
    }
  }

  private async handle(state: DispatcherState, envelopes: Envelope[]): Promise<void> {
    this.turnAtMs = this.time();
    const outcome = await runTurn(state, envelopes, this.turnAtMs, this.journal, this.term);
    const endMs = this.time();
    this.ports.watch?.onCommitted(state, outcome.committed, endMs - this.turnAtMs, endMs);
    this.signals.onTurnCommitted(state, outcome.workWaiting, endMs);
    for (const stop of outcome.stops) this.ports.signalStop(stop);
    logJudgements(state, outcome.judged, this.turnAtMs, this.logger);
    if (outcome.hasWritten) this.ports.onFactsCommitted(this.term.arch);
    this.ports.recordSightings(outcome.sightings);
    if (envelopes.some(({ message }) => message.kind === 'workers')) this.notifyOfWorkers(state);
    for (const envelope of outcome.undecided) this.linesOfRows.readFor(state, envelope);
    void this.linesOfRows.count(state);
    if (outcome.doubtedRuns.length > 0) await this.correct(state, outcome);
  }

  private retryEnvelopes(envelopes: Envelope[]): void {
    if (this.stopped) return refuse(envelopes, new NotOwner(this.term.arch));
    this.undone.push(...envelopes);
    if (this.state && envelopes.length > 0) this.wakeUp.wake();
  }

  private notifyOfWorkers({ registered }: DispatcherState): void {
    const { arch } = this.term;
    this.ports.onWorkersRegistered(arch, registered.namesFor(arch));
  }

  /**
   * Another process has changed the rows of these runs, for example to cancel them: memory takes over what the rows
   * say, and the messages about the runs are handled again.
   */
  private async correct(state: DispatcherState, { doubtedRuns, undone }: TurnOutcome): Promise<void> {
    this.undone.push(...envelopesToRetry(undone));
    try {
      const unfinished = await this.journal.listUnfinished(this.term.arch, doubtedRuns);
      const rows = new Map(unfinished.map((run) => [run.runId, run]));
      const corrected = doubtedRuns.map((id) => correct(state, id, rows.get(id), this.turnAtMs, this.time()));
      if (corrected.includes(true)) this.signals.notify(state, this.time());
    } catch (error) {
      this.logger.warn(`runs could not be read again, loading all: ${String(error)}`);
      this.discard(state);
    }
  }

  /** A tick comes after all messages that arrived before the deadline. */
  private dueTick(state: DispatcherState): DispatcherMessage[] {
    const expiringMs = this.ticks.dueMs(state.nextDeadlineMs, this.time());
    const workersReachable = this.ports.isReachable();
    return expiringMs === null ? [] : [{ kind: 'tick', workersReachable, expiringMs }];
  }

  /**
   * Discards the memory of a failed turn, and tries its messages one by one. The notices that the turn did not reach
   * come first, because nothing repeats them.
   * @throws StaleEpoch or NotOwner when the term is over
   */
  private async recover(state: DispatcherState, envelopes: Envelope[], failure: unknown): Promise<void> {
    this.discard(state);
    if (isOver(failure)) throw failure;
    this.logger.warn(`a turn of ${envelopes.length} messages failed, loading again: ${String(failure)}`);
    this.committed.readLater(this.time());
    let failuresInARow = 0;
    const notices = this.notices.splice(0);
    const tried = [...notices.map(envelopeWithoutReply), ...envelopes];
    for (const [place, envelope] of tried.entries()) {
      if (failuresInARow < FAILURES_IN_A_ROW_MAX) this.state ??= await this.load();
      if (!this.state) {
        this.notices.unshift(...notices.slice(place));
        return refuse(tried.slice(place), new NotHandled(String(failure)));
      }
      failuresInARow = (await this.succeedsAlone(this.state, envelope)) ? 0 : failuresInARow + 1;
    }
  }

  private async succeedsAlone(state: DispatcherState, envelope: Envelope): Promise<boolean> {
    try {
      await this.handle(state, [envelope]);
      return true;
    } catch (error) {
      this.discard(state);
      if (isOver(error)) throw error;
      refuse([envelope], error);
      const text = JSON.stringify(envelope.message).slice(0, LOGGED_MESSAGE_LENGTH_MAX);
      this.logger.error(`refused, it fails alone: ${text}: ${String(error)}`);
      return false;
    }
  }

  /** Ends the term after the loop has failed. */
  private stepDown(reason: unknown): void {
    this.state = null;
    this.stopped = true;
    this.term.abandon(String(reason));
  }

  private addNotice(message: DispatcherMessage): void {
    this.notices.push(message);
    if (this.state) this.wakeUp.wake();
  }

  /** Refuses all waiting messages. */
  private refuseAll(reason: Error): void {
    refuse(this.undone.splice(0), reason);
    this.linesOfRows.refuseAll(reason);
    this.mailbox.rejectAll(reason);
  }

  private signalWorkWaiting(slots: SlotsToWake[] | null): void {
    if (!this.stopped && this.term.holds()) this.ports.signalWorkWaiting(this.term.arch, slots);
  }

  private hasMail(): boolean {
    return this.mailbox.length > 0 || this.notices.length > 0 || this.undone.length > 0;
  }

  private nextWakeMs(state: DispatcherState): number {
    return Math.min(this.committed.dueMs, state.nextDeadlineMs ?? Infinity);
  }

  /** The pause grows: a load reads all waiting runs, and one that fails each time must not keep the database busy. */
  private reloadPauseMs(): number {
    return growingPauseMs(this.settings.reloadDelayMs, RELOAD_DELAY_MAX_MS, this.failedLoads);
  }

  private rest(untilMs: number): Promise<void> {
    if (this.stopped) return Promise.resolve();
    return this.wakeUp.waitFromNow(untilMs - this.time());
  }

  /** A time that never decreases. */
  private time(): number {
    this.latestMs = Math.max(this.latestMs, this.ports.clock.now());
    return this.latestMs;
  }
}

function isOver(error: unknown): boolean {
  return error instanceof StaleEpoch || error instanceof NotOwner;
}
