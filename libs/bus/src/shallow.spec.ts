import * as fc from 'fast-check';
import { MalformedMessage } from '@proctor/contracts';
import { parseBody } from './body';
import { DEPTH_MAX, VALUES_MAX } from './shallow';

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

it.each([
  ['as deep as a message of ours may be', nested(DEPTH_MAX)],
  ['with brackets in a string', JSON.stringify({ text: '[{'.repeat(500) + '"\\' })],
  ['with many values', `[${'1,'.repeat(VALUES_MAX - 1)}1]`],
])('a payload %s is read', (_, text) => {
  expect(parseBody(text)).toEqual(JSON.parse(text));
});

it.each([
  ['deeper than any message', nested(DEPTH_MAX + 1), 'nested more than 16 deep'],
  ['half a million deep', nested(500_000), 'nested more than 16 deep'],
  ['half a million deep in a known field', `{"variants":${nested(500_000)}}`, 'nested more than 16 deep'],
  ['of very many values', `[${'1,'.repeat(VALUES_MAX + 1)}1]`, 'more than 20000 names and values'],
  [
    'of very many names',
    `{${Array.from({ length: 50_000 }, (_, n) => `"${n}":0`).join()}}`,
    'more than 20000',
  ],
  ['of very many strings', `[${'"a",'.repeat(VALUES_MAX + 1)}1]`, 'more than 20000 names and values'],
  ['that is not JSON', '{', 'not JSON'],
  ['that is half a string', '"\\"', 'not JSON'],
])('a payload %s is malformed', (_, text, why) => {
  expect(() => parseBody(text)).toThrow(MalformedMessage);
  expect(() => parseBody(text)).toThrow(why);
});

it('whatever JSON there is, it is read as JSON, unless it is too deep', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      expect(parseBody(text)).toEqual(JSON.parse(text));
    }),
  );
});
