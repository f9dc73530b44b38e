import { createInbox, headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { eventId, eventSubject, type Fact } from '@proctor/contracts';
import { NoAnswer } from './bus';

const MESSAGE_ID = 'Nats-Msg-Id';

interface Publication {
  fact: Fact;
  endMs: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** The answer of JetStream to a published message. */
interface Acknowledgement {
  stream?: string;
  error?: { code: number; description: string };
}

/**
 * Publishes events. A run has four events, and for each the client of NATS would create a timer, two promises and, when
 * answered, an error with a stack that is never read. Here all publications in progress share one subscription and one
 * timer.
 */
export class NatsEvents {
  private readonly underWay = new Map<string, Publication>();
  private inbox: string | null = null;
  private latest = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly nc: NatsConnection,
    private readonly inboxPrefix: string,
    private readonly timeoutMs: number,
  ) {
    void nc.closed().then(() => this.rejectAll());
  }

  /** Resolves once the stream holds the event. @throws NoAnswer, also when the stream refuses */
  publish(fact: Fact): Promise<void> {
    const inbox = (this.inbox ??= this.subscribe());
    const token = String((this.latest += 1));
    return new Promise((resolve, reject) => {
      const marked = headers();
      marked.set(MESSAGE_ID, eventId(fact));
      const to = eventSubject(fact.arch, fact.kind);
      this.nc.publish(to, JSON.stringify(fact), { headers: marked, reply: `${inbox}.${token}` });
      this.underWay.set(token, { fact, endMs: performance.now() + this.timeoutMs, resolve, reject });
      this.timer ??= setTimeout(() => this.rejectOverdue(), this.timeoutMs);
    });
  }

  private subscribe(): string {
    const inbox = createInbox(this.inboxPrefix);
    this.nc.subscribe(`${inbox}.*`, {
      callback: (error, message) => {
        if (!error) this.onAnswer(message);
      },
    });
    return inbox;
  }

  private onAnswer(message: Msg): void {
    const token = message.subject.slice(message.subject.lastIndexOf('.') + 1);
    const publication = this.underWay.get(token);
    if (!publication) return;
    this.underWay.delete(token);
    if (this.underWay.size === 0) this.clearTimer();
    const why = refusalOf(message);
    if (why === null) publication.resolve();
    else publication.reject(new NoAnswer(`${nameOf(publication)} was not stored: ${why}`));
  }

  /** The oldest comes first. */
  private rejectOverdue(): void {
    this.timer = null;
    const now = performance.now();
    for (const [token, publication] of this.underWay) {
      if (publication.endMs > now) {
        this.timer = setTimeout(() => this.rejectOverdue(), publication.endMs - now);
        return;
      }
      this.underWay.delete(token);
      publication.reject(new NoAnswer(`no answer to ${nameOf(publication)}`));
    }
  }

  private rejectAll(): void {
    this.clearTimer();
    for (const publication of this.underWay.values())
      publication.reject(
        new NoAnswer(`the connection was closed before an answer to ${nameOf(publication)}`),
      );
    this.underWay.clear();
  }

  private clearTimer(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}

function nameOf({ fact }: Publication): string {
  return `event ${eventId(fact)}`;
}

/** Null when the stream holds the event. */
function refusalOf(message: Msg): string | null {
  if (message.data.length === 0)
    return message.headers?.code === 503 ? 'there is no stream for it' : 'empty answer';
  const { stream, error } = message.json<Acknowledgement>();
  if (error) return `${error.description} (${error.code})`;
  return stream ? null : 'the answer names no stream';
}
