import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { createInbox, nanos, type Msg } from '@nats-io/transport-node';
import { NoAnswer } from './bus';
import { deliveryTokens } from './delivery-tokens';
import { JETSTREAM_TIMEOUT_MS, type NatsLink } from './nats-link';
import { unlessClosed } from './unless-closed';

/** What is known of a message without its content. */
export interface MessageInfo {
  subject: string;
  sequence: number;
  /** Of its content. */
  bytes: number;
}

/** Messages that the server sends ahead of an acknowledgement. */
const AHEAD_MAX = 1_000;
const ACKNOWLEDGED_EACH = AHEAD_MAX / 2;
/** The server adds it to a message that it sends without its content. */
const SIZE = 'Nats-Msg-Size';
/** What the server keeps of a walk that broke off. */
const REMOVED_AFTER_MS = 30_000;

/**
 * Goes past all that a stream holds on a subject, oldest first, without the contents: neither side has it all in memory, and
 * one answer with all subjects would be as long as the one who has published them likes.
 * @param onMessage is called for each, in order; it may not throw
 * @throws NoAnswer when nothing comes for ten seconds; what `signal` aborts with
 */
export async function walkStream(
  { nc, jsm, inboxPrefix }: Pick<NatsLink, 'nc' | 'jsm' | 'inboxPrefix'>,
  stream: string,
  subject: string,
  onMessage: (passed: MessageInfo) => void,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const inbox = createInbox(inboxPrefix);
  let [finish, fail] = [() => {}, (_error: Error) => {}];
  const walked = new Promise<void>((resolve, reject) => ([finish, fail] = [resolve, reject]));
  // It may fail before it is awaited.
  walked.catch(() => undefined);
  const late = setTimeout(() => fail(new NoAnswer(`no answer of ${stream}`)), JETSTREAM_TIMEOUT_MS);
  const abort = () => fail(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  const receive = (message: Msg): void => {
    const tokens = deliveryTokens(message.reply);
    if (!tokens) return;
    const bytes = Number(message.headers?.get(SIZE));
    onMessage({ subject: message.subject, sequence: tokens.sequence, bytes });
    late.refresh();
    if (tokens.order % ACKNOWLEDGED_EACH === 0) unlessClosed(() => message.respond('+ACK'));
    if (tokens.pending === 0) finish();
  };
  const subscription = nc.subscribe(inbox, {
    callback: (error, message) => (error ? fail(error) : receive(message)),
  });
  try {
    // The server forgets it once nobody listens.
    const { num_pending, delivered } = await jsm.consumers.add(stream, {
      deliver_subject: inbox,
      deliver_policy: DeliverPolicy.All,
      filter_subject: subject,
      headers_only: true,
      ack_policy: AckPolicy.All,
      max_ack_pending: AHEAD_MAX,
      inactive_threshold: nanos(REMOVED_AFTER_MS),
      mem_storage: true,
      num_replicas: 1,
    });
    if (num_pending === 0 && delivered.consumer_seq === 0) finish();
    await walked;
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', abort);
    unlessClosed(() => subscription.unsubscribe());
  }
}
