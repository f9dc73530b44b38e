import { headers, type Msg } from '@nats-io/transport-node';
import { HEADERS_BYTES_MAX, headersOf } from './message-parts';

/** A message as the client makes it, whose headers have so many bytes. */
function messageWith(headersBytes: number): Msg {
  const [subject, reply, data] = ['a.b', 'c', Buffer.from('{}')];
  const size = () => subject.length + reply.length + data.length + headersBytes;
  return { subject, reply, data, headers: headers(), size } as unknown as Msg;
}

it('the headers of a message are read unless they are long', () => {
  expect(headersOf(messageWith(HEADERS_BYTES_MAX))).toBeDefined();
  expect(headersOf(messageWith(HEADERS_BYTES_MAX + 1))).toBeUndefined();
});
