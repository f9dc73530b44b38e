import { eventsOf } from './event-stream';

async function eventsIn(...pieces: string[]): Promise<unknown[]> {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield await Promise.resolve(Buffer.from(piece));
  }
  const events: unknown[] = [];
  for await (const event of eventsOf(body())) events.push(event);
  return events;
}

it('events and ids that come alone are read wherever the stream is cut, comments are passed over', async () => {
  const text =
    'id: 5\nevent: log\ndata: {"offset": 0}\n\n: alive\n\n:\nid: 6\n\nevent: end\r\ndata: {}\r\n\r\n';
  const whole = [
    { id: '5', event: 'log', data: { offset: 0 } },
    { id: '6', event: null, data: null },
    { id: null, event: 'end', data: {} },
  ];
  expect(await eventsIn(text)).toEqual(whole);
  expect(await eventsIn(...text)).toEqual(whole);
});

it('an event that was cut off is none', async () => {
  expect(await eventsIn('event: log\ndata: {"offset": 0}\n')).toEqual([]);
});
