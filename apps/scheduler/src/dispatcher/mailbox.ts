import type { DispatcherMessage, MessageKind, MessageOf, Replies } from '@proctor/dispatch';
import { NotHandled } from './not-handled';

/** The dispatcher has too many messages; a later request may succeed. */
export class MailboxFull extends Error {
  constructor(lengthMax: number) {
    super(`the dispatcher's mailbox is full (${lengthMax} messages)`);
  }
}

/** How often a message is handled again when the rows refuse its writes. */
const REFUSALS_MAX = 10;

/** A message and the caller that waits for its reply. */
export interface Envelope<K extends MessageKind = MessageKind> {
  message: MessageOf<K>;
  resolve(reply: Replies[K]): void;
  reject(error: Error): void;
  /** How often the rows refused its writes. */
  refusals: number;
}

/**
 * The order when not all messages fit into a turn: messages that keep leases and end attempts, then requests for work,
 * then questions of people. All other messages come from the dispatcher itself.
 */
const RANKS: Partial<Record<MessageKind, number>> = { lease: 1, explain: 2, status: 2 };

/** The maximum part of a mailbox for one sender. */
const SHARE_MAX = 0.25;

function rankOf({ message }: Envelope): number {
  return RANKS[message.kind] ?? 0;
}

/** The worker that sent it, if a worker did. */
function senderOf(message: DispatcherMessage): string | undefined {
  const sender = 'request' in message ? message.request : 'report' in message ? message.report : undefined;
  return sender && 'worker' in sender ? sender.worker : undefined;
}

/** The bounded inbox of a dispatcher. */
export class Mailbox {
  /** How many envelopes came in, and how many were removed, since the start. */
  receivedCount = 0;
  takenCount = 0;
  private envelopes: Envelope[] = [];
  /** Worker → how many of the envelopes it sent. */
  private readonly ofWorker = new Map<string, number>();

  /** @param onMail called for each new envelope */
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
   * Removes the first envelopes, at most `max`. Older ones go first, but all renewals and reports before requests for
   * work, and workers take turns.
   */
  removeFirst(max: number): Envelope[] {
    const ordered = this.envelopes.length > max ? sortByTurns(this.envelopes) : this.envelopes;
    const first = ordered.slice(0, max);
    this.envelopes = ordered.slice(max);
    this.takenCount += first.length;
    this.ofWorker.clear();
    for (const { message } of this.envelopes) {
      const worker = senderOf(message);
      if (worker !== undefined) this.ofWorker.set(worker, (this.ofWorker.get(worker) ?? 0) + 1);
    }
    return first;
  }

  rejectAll(error: Error): void {
    for (const envelope of this.removeFirst(Infinity)) envelope.reject(error);
  }
}

/** Sorts by rank; within a rank the first envelope of each worker, then the second of each. */
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

/** A message of the dispatcher to itself: no caller waits for a reply, and it is handled once. */
export function envelopeWithoutReply(message: DispatcherMessage): Envelope {
  return { message, resolve: () => undefined, reject: () => undefined, refusals: Infinity };
}

export function refuse(envelopes: Envelope[], reason: unknown): void {
  const error = reason instanceof Error ? reason : new Error(String(reason));
  for (const envelope of envelopes) envelope.reject(error);
}

/** The envelopes to handle again after the rows refused their writes. Envelopes with too many tries are refused. */
export function envelopesToRetry(envelopes: Envelope[]): Envelope[] {
  for (const envelope of envelopes) envelope.refusals += 1;
  const isTriedEnough = ({ refusals }: Envelope): boolean => refusals > REFUSALS_MAX;
  refuse(envelopes.filter(isTriedEnough), new NotHandled('the runs that it is about keep changing'));
  return envelopes.filter((envelope) => !isTriedEnough(envelope));
}

/**
 * Decides when a deadline may have its effect: after all envelopes that were in the mailbox when it passed. So no
 * lease expires while its renewal waits in the mailbox. Later envelopes delay nothing.
 */
export class TickWatch {
  private passed: { atMs: number; received: number } | null = null;

  constructor(private readonly mailbox: Pick<Mailbox, 'receivedCount' | 'takenCount'>) {}

  /**
   * To be called at each turn, after its envelopes were removed.
   * @param deadlineMs the next moment at which time changes something; null: never
   * @returns the moment up to which deadlines may have their effect; null: none may
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
