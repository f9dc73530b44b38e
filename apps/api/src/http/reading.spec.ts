import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { asReader, readerGone, reading, whenNothingIsRead } from './reading';

it('a place is free when its client has gone and nothing is read for it any longer', async () => {
  const response = new EventEmitter() as Response;
  let isFree = false;
  let end = (): void => undefined;
  const signal = asReader(response, () => {
    void reading(new Promise<void>((resolve) => (end = resolve)));
    response.once(
      'close',
      whenNothingIsRead(() => (isFree = true)),
    );
    return readerGone();
  });
  expect(signal!.aborted).toBe(false);
  response.emit('close');
  await new Promise(setImmediate);
  expect([signal!.aborted, isFree]).toEqual([true, false]);
  end();
  await new Promise(setImmediate);
  expect(isFree).toBe(true);
});

it('outside of a request no client can go', () => expect(readerGone()).toBeUndefined());
