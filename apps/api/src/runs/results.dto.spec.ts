import fc from 'fast-check';
import { apiConfiguration } from '@test/support/api-configuration';
import { Problem } from '../http/problem';
import { shapeOf } from '../http/parameters.pipe';
import { jsonParameters, textParameters } from '../http/parameters';
import type { Parameters } from '../http/parameters';
import { ResultsQuery } from './results.dto';

const { server } = apiConfiguration();
const queryFrom = (parameters: Parameters): ResultsQuery => shapeOf(ResultsQuery, parameters, server);

describe('since', () => {
  const since = (value: string): number => queryFrom(textParameters([['since', value]], () => null)).since;

  it.each([
    ['0', 0],
    ['1700000000', 1_700_000_000],
    ['1700000000.25', 1_700_000_000.25],
    ['007', 7],
  ])('since is read from %s', (text, seconds) => {
    expect(since(text)).toBe(seconds);
  });

  it.each([
    '',
    ' ',
    '-1',
    'abc',
    '1e5',
    '0x10',
    '1.',
    '.5',
    'NaN',
    'Infinity',
    '1,5',
    '2026-11-20',
    '253402300800',
    '9'.repeat(24),
    '1\0',
  ])('the value %j of since is refused, and since is named', (text) => {
    expect(() => since(text)).toThrow(Problem);
    expect(() => since(text)).toThrow(/^since must be a UNIX timestamp in seconds, not "/);
  });

  it('a query without since is refused', () => {
    expect(() => queryFrom(new Map())).toThrow('since is missing: it holds a UNIX timestamp in seconds.');
  });

  it('since gives a date or a Problem, whatever the text is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.float().map(String), fc.bigInt().map(String)), (text) => {
        try {
          expect(Number.isNaN(new Date(since(text) * 1000).getTime())).toBe(false);
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
        }
      }),
    );
  });
});

describe('wait', () => {
  const wait = (text: string) =>
    queryFrom(
      textParameters(
        [
          ['since', '0'],
          ['wait', text],
        ],
        () => null,
      ),
    ).wait;

  it('wait is a whole number of seconds up to the limit', () => {
    expect([wait('0'), wait('60')]).toEqual([0, 60]);
    expect(queryFrom(jsonParameters({ since: 1, wait: 2 }))).toEqual({ since: 1, wait: 2 });
    expect(queryFrom(jsonParameters({ since: 1 })).wait).toBeUndefined();
  });

  it.each(['61', '-1', '1.5', '', 'x'])('the value %j of wait is refused', (text) => {
    expect(() => wait(text)).toThrow(/^wait must be a whole number of seconds from 0 to 60, not "/);
  });
});
