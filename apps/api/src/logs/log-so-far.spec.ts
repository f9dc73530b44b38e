import { Readable } from 'node:stream';
import { logSoFar } from './log-so-far';
import type { LivePiece } from './log-so-far';

const LIMITS = { lines: 3, bytes: 100 };

function soFar(limits: typeof LIMITS, ...parts: [offset: number, text: string, isNote?: boolean][]) {
  const pieces = parts.map(([offset, text, isNote = false]): LivePiece => {
    return { offset, data: Buffer.from(text), isNote };
  });
  return logSoFar(() => Readable.from(pieces), /error/, limits, { logReadMs: 60_000, logSearchMs: 60_000 });
}

it('a live log is read like one that is kept, as far as it is there', async () => {
  const { log, openAt, missing, note } = await soFar(
    LIMITS,
    [0, 'one\ntw'],
    [6, 'o\nerror: x\nfo'],
    [0, ' said \n', true],
  );
  expect({ openAt, missing, note }).toEqual({ openAt: 17, missing: 0, note: 'said' });
  expect([log.index.lines, log.index.marks]).toEqual([4, [3]]);
  expect((await log.lines(2, { lines: 2, bytes: 1_000 })).map(({ number, text }) => [number, text])).toEqual([
    [2, 'two'],
    [3, 'error: x'],
  ]);
  const { hits } = await log.search('ERROR', 1, 9);
  expect(hits).toEqual([{ line: 3, text: 'error: x' }]);
  expect((await log.wholeLine(4, 100)).toString()).toBe('fo');
});

it('bytes that were forgotten are in no line', async () => {
  const { log, openAt, missing } = await soFar(LIMITS, [100, 'a\nb'], [110, 'c\n']);
  expect({ openAt, missing, lines: log.index.lines }).toEqual({ openAt: 112, missing: 107, lines: 2 });
});

it.each([
  ['as many as are asked for', { lines: 3, bytes: 100 }, 'a\nb\nc\nd\ne\n', 3],
  ['as many bytes as are asked for', { lines: 3, bytes: 4 }, 'a\nb\nc\nd\ne\n', 4],
  ['the one that has not ended among them', { lines: 3, bytes: 100 }, 'a\nb\nc\nd\ne', 3],
  ['one that is too long', { lines: 3, bytes: 1 }, `a\n${'b'.repeat(50)}`, 2],
  ['all of a short log', { lines: 3, bytes: 100 }, 'a\n', 1],
  ['none of an empty one', { lines: 3, bytes: 100 }, '', 1],
  ['the last of many', { lines: 3, bytes: 100 }, 'x\n'.repeat(1_000), 998],
])('its last lines are %s', async (_what, limits, text, tail) => {
  expect((await soFar(limits, [0, text])).tail).toBe(tail);
});
