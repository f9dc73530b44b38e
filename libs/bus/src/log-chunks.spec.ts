import { Logger } from '@nestjs/common';
import { chunksIn } from './log-chunks';

it('what is no chunk of a log is passed over and said once, and the rest is read', async () => {
  const logger = new Logger();
  const warn = jest.spyOn(logger, 'warn').mockImplementation(() => undefined);
  const good = { chunk: 0, offset: 0, data: 'YQ==' };
  const texts = [
    '{',
    'null',
    '5',
    '[]',
    '"a"',
    '{"chunk":1}',
    '{"chunk":"1","offset":0,"data":""}',
    '['.repeat(200_000),
  ];
  async function* messages() {
    for (const text of [...texts, JSON.stringify(good), '', JSON.stringify({ ...good, chunk: 1 })])
      yield await Promise.resolve({ string: () => text });
  }
  const numbers: number[] = [];
  for await (const { chunk } of chunksIn(messages(), 'log.1', 0, logger)) numbers.push(chunk);
  expect(numbers).toEqual([0, 1]);
  expect(warn.mock.calls).toEqual([[expect.stringContaining('log.1')]]);
});

it('a chunk that was sent twice is read once, and those before the first that is wanted are not', async () => {
  async function* messages() {
    for (const chunk of [0, 1, 1, 2, 1, 2, 3])
      yield await Promise.resolve({ string: () => JSON.stringify({ chunk, offset: 0, data: 'YQ==' }) });
  }
  const numbers: number[] = [];
  for await (const { chunk } of chunksIn(messages(), 'log.1', 1)) numbers.push(chunk);
  expect(numbers).toEqual([1, 2, 3]);
});
