import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { createInbox, nanos, type Msg } from '@nats-io/transport-node';
import { NoAnswer } from './bus';
import { deliveryTokens } from './delivery-tokens';
import { JETSTREAM_TIMEOUT_MS, type NatsLink } from './nats-link';
import { unlessClosed } from './unless-closed';

/** A message without its content. */
interface MessageInfo {
  subject: string;
  sequence: number;
  /** Length of its content. */
  bytes: number;
}

/** Messages that the server sends before an acknowledgement. */
const AHEAD_MAX = 1_000;
const ACKNOWLEDGED_EACH = AHEAD_MAX / 2;
/** The header with the length of the content, which the server adds when it leaves the content out. */
const SIZE = 'Nats-Msg-Size';
/** How long the server keeps the consumer of a walk that broke off. */
const REMOVED_AFTER_MS = 30_000;

/**
 * Lists all messages of a stream on a subject, oldest first, without their contents. Neither side has all of it in
 * memory; one answer with all subjects could be as long as the publisher likes.
 * @param onMessage is called for each message in order; it may not throw
 * @throws NoAnswer when nothing comes for ten seconds; the reason of `signal` when it aborts
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
    // The server deletes the consumer once nothing is subscribed.
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
