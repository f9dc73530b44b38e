/** Tokens of an acknowledgement's subject: `$JS.ACK.` and the seven below. */
const ACK_TOKENS = 9;
/**
 * Minimum number of tokens in the long form of the reply subject, which has a domain and an account after `$JS.ACK.`.
 */
const LONG_ACK_TOKENS_MIN = 11;

/** The properties of a JetStream message that its reply subject contains. */
interface DeliveryTokens {
  /** This one included: 1 is the first. */
  deliveries: number;
  /** The message's place in its stream. */
  sequence: number;
  /** Its place among the deliveries of its consumer: 1 is the first. */
  order: number;
  /** Messages that the consumer has not sent yet. */
  pending: number;
}

/** Null when the message is not from JetStream. */
export function deliveryTokens(reply: string | undefined): DeliveryTokens | null {
  const tokens = reply?.split('.') ?? [];
  const isLong = tokens.length >= LONG_ACK_TOKENS_MIN;
  if (tokens[1] !== 'ACK' || !(isLong || tokens.length === ACK_TOKENS)) return null;
  const [, , deliveries, sequence, order, , pending] = tokens.slice(isLong ? 4 : 2).map(Number);
  return { deliveries: deliveries!, sequence: sequence!, order: order!, pending: pending! };
}
