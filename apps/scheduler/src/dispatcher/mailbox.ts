import type { DispatcherMessage, MessageKind, MessageOf, Replies } from '@proctor/dispatch';
import { NotHandled } from './not-handled';

/** The dispatcher has more to do than it can; asking again later helps. */
export class MailboxFull extends Error {
  constructor(lengthMax: number) {
    super(`the dispatcher's mailbox is full (${lengthMax} messages)`);
  }
}

/** How often a message is handled again whose writes the rows refused. */
const REFUSALS_MAX = 10;

/** A message with the one who waits for its reply. */
export interface Envelope<K extends MessageKind = MessageKind> {
  message: MessageOf<K>;
  resolve(reply: Replies[K]): void;
  reject(error: Error): void;
  /** How often rows refused what it led to. */
  refusals: number;
}

/**
 * What goes first when not all is handled at once: what keeps leases and ends attempts, then asks for work, then what people
 * ask. What is no message of a worker nor a question comes from the dispatcher itself.
 */
const RANKS: Partial<Record<MessageKind, number>> = { lease: 1, explain: 2, status: 2 };

/** Of a mailbox no sender has more than this part. */
const SHARE_MAX = 0.25;

function rankOf({ message }: Envelope): number {
  return RANKS[message.kind] ?? 0;
}

/** The worker that sent it; undefined when none did. */
function senderOf(message: DispatcherMessage): string | undefined {
  const sender = 'request' in message ? message.request : 'report' in message ? message.report : undefined;
  return sender && 'worker' in sender ? sender.worker : undefined;
}

/** The bounded inbox of a dispatcher. */
export class Mailbox {
  /** Envelopes that ever came in, and that were taken out. */
  receivedCount = 0;
  takenCount = 0;
  private envelopes: Envelope[] = [];
  /** How many of them are of each worker. */
  private readonly ofWorker = new Map<string, number>();

  /** @param onMail is called after each envelope that comes in */
  constructor(
    public lengthMax: number,
    private readonly onMail: () => void,
  ) {}

  get length(): number {
    return this.envelopes.length;
  }

  /** Resolves with the reply once the turn that handled the message is committed; rejects with MailboxFull at once. */
  add<K extends MessageKind>(message: MessageOf<K>): Promise<Replies[K]> {
    const worker = senderOf(message);
    const count = (worker === undefined ? undefined : this.ofWorker.get(worker)) ?? 0;
    if (this.envelopes.length >= this.lengthMax || count >= Math.ceil(SHARE_MAX * this.lengthMax))
      return Promise.reject(new MailboxFull(this.lengthMax));
    if (worker !== undefined) this.ofWorker.set(worker, count + 1);
    return new Promise((resolve, reject) => {
      const envelope: Envelope<K> = { message, resolve, reject, refusals: 0 };
      this.envelopes.push(envelope as unknown as Envelope);
      this.receivedCount += 1;
      this.onMail();
    });
  }

  /**
   * The envelopes that go first, at most `max`. What came first goes first, but all renewals and reports go before asks, and of
   * several workers that ask each has its turn.
   */
  take(max: number): Envelope[] {
    const ordered = this.envelopes.length > max ? sortByTurns(this.envelopes) : this.envelopes;
    const taken = ordered.slice(0, max);
    this.envelopes = ordered.slice(max);
    this.takenCount += taken.length;
    this.ofWorker.clear();
    for (const { message } of this.envelopes) {
      const worker = senderOf(message);
      if (worker !== undefined) this.ofWorker.set(worker, (this.ofWorker.get(worker) ?? 0) + 1);
    }
    return taken;
  }

  rejectAll(error: Error): void {
    for (const envelope of this.take(Infinity)) envelope.reject(error);
  }
}

/** By rank; within one the first of each worker, then the second of each. */
function sortByTurns(envelopes: Envelope[]): Envelope[] {
  const counts = new Map<string, number>();
  const placed = envelopes.map((envelope) => {
    const rank = rankOf(envelope);
    const sender = `${rank} ${senderOf(envelope.message) ?? ''}`;
    const place = counts.get(sender) ?? 0;
    counts.set(sender, place + 1);
    return { envelope, rank, place };
  });
  placed.sort((a, b) => a.rank - b.rank || a.place - b.place);
  return placed.map(({ envelope }) => envelope);
}

/** What the dispatcher tells itself: no reply is awaited, and it is handled once. */
export function envelopeWithoutReply(message: DispatcherMessage): Envelope {
  return { message, resolve: () => undefined, reject: () => undefined, refusals: Infinity };
}

export function refuse(envelopes: Envelope[], reason: unknown): void {
  const error = reason instanceof Error ? reason : new Error(String(reason));
  for (const envelope of envelopes) envelope.reject(error);
}

/** Those of the envelopes whose writes the rows refused that are to be handled again; the others are refused. */
export function envelopesToRetry(envelopes: Envelope[]): Envelope[] {
  for (const envelope of envelopes) envelope.refusals += 1;
  const isTriedEnough = ({ refusals }: Envelope): boolean => refusals > REFUSALS_MAX;
  refuse(envelopes.filter(isTriedEnough), new NotHandled('the runs that it is about keep changing'));
  return envelopes.filter((envelope) => !isTriedEnough(envelope));
}

/**
 * Says when a deadline may be acted upon: once every envelope has been handled that was there when it had passed, so that
 * no lease expires whose renewal waits in the mailbox. Envelopes that come later delay nothing.
 */
export class TickWatch {
  private passed: { atMs: number; received: number } | null = null;

  constructor(private readonly mailbox: Pick<Mailbox, 'receivedCount' | 'takenCount'>) {}

  /**
   * To be asked at each turn, with the envelopes of the turn taken.
   * @param deadlineMs when time alone next changes something; null when it never does
   * @returns the moment up to which deadlines may be acted upon; null when none may
   */
  dueMs(deadlineMs: number | null, now: number): number | null {
    if (deadlineMs === null || deadlineMs > now) this.passed = null;
    else this.passed ??= { atMs: now, received: this.mailbox.receivedCount };
    if (!this.passed || this.mailbox.takenCount < this.passed.received) return null;
    const { atMs } = this.passed;
    this.passed = null;
    return atMs;
  }
}
