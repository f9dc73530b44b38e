import { PassThrough } from 'node:stream';
import { EventWindow, type RunEvent } from '@proctor/events';
import type { Response } from 'express';
import { runEvent } from '@test/support/run-event';
import { EventConnection } from './event-connection';

/** waitingBytesMax */
const WAITING_BYTES_MAX = 1_000;

/** A client that reads when the test lets it. */
function rig(isWanted: (event: RunEvent) => boolean = () => true) {
  const stream = new PassThrough({ highWaterMark: 100 });
  const response = Object.assign(stream, {
    status: () => response,
    set: () => response,
  }) as unknown as Response;
  const textOf = ({ factId }: RunEvent) => JSON.stringify({ factId, filled: 'x'.repeat(100) });
  const selection = { isWanted, textOf };
  const connection = new EventConnection(response, selection);
  connection.open();
  const sentText = (): string => (stream.read() as Buffer | null)?.toString() ?? '';
  return { stream, connection, sentText };
}

const event = (factId: number): RunEvent => runEvent({ factId, place: factId, at: new Date(7_000) });
const idsIn = (text: string): number[] => [...text.matchAll(/"factId":(\d+)/g)].map(([, id]) => Number(id));

it('a client that reads is sent each event with the second where it may begin again', () => {
  const { stream, connection, sentText } = rig(({ factId }) => factId !== 2);
  connection.startSending(5, () => false);
  connection.deliver([event(1), event(2), event(3)], 6, WAITING_BYTES_MAX);
  expect(sentText()).toMatch(
    /^retry: \d{4}\n\nid: 5\n\nid: 6\.7\.1\nevent: granted\ndata: {"factId":1,.*}\n\nid: 6\.7\.3\n/,
  );
  stream.destroy();
});

it('a client that does not read is cut off with a word', () => {
  const { stream, connection, sentText } = rig();
  connection.startSending(5, () => false);
  for (let id = 1; id <= 20; id += 1) connection.deliver([event(id)], 6, WAITING_BYTES_MAX);
  expect([connection.isOver, stream.writableLength < 2 * WAITING_BYTES_MAX]).toEqual([true, true]);
  let text = '';
  for (let part = sentText(); part !== ''; part = sentText()) text += part;
  expect(idsIn(text).length).toBeLessThan(20);
  expect(text).toMatch(/event: end\ndata: {"reason":"the events were not read as fast as they came"}\n\n$/);
  stream.destroy();
});

it('what comes while a client is sent what it has missed follows that, without what it was sent already', async () => {
  const { stream, connection, sentText } = rig();
  const source = {
    start: () => Promise.resolve({ horizon: 5, canRise: false, first: 1 }),
    page: () => Promise.resolve([event(1), event(2)]),
    raise: () => Promise.resolve(),
  };
  const window = new EventWindow(4, source);
  const texts: string[] = [];
  stream.on('data', (bytes: Buffer) => texts.push(bytes.toString()));
  const catching = connection.catchUp(window);
  connection.deliver([event(2), event(3)], 5, WAITING_BYTES_MAX);
  await catching;
  connection.startSending(5, (one) => window.hasRead(one));
  await new Promise((resolve) => setImmediate(resolve));
  expect(idsIn(texts.join('') + sentText())).toEqual([1, 2, 3]);
  stream.destroy();
});
