import fc from 'fast-check';
import { refusalOf } from '../../../../test/support/refusal';
import { Problem } from '../http/problem';
import { runIdOf, sinceOf } from './numbers';

describe('runIdOf', () => {
  it.each([
    ['1', 1],
    ['2147483648', 2_147_483_648],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('reads %s', (text, id) => {
    expect(runIdOf(text)).toBe(id);
  });

  it.each([
    '0',
    '-1',
    '01',
    '1.0',
    '1e3',
    'abc',
    '1abc',
    '',
    ' 1',
    '9007199254740992',
    '99999999999999999999',
    '１',
    '1\n',
  ])('knows no run %j', (text) => {
    expect(refusalOf(() => runIdOf(text)).status).toBe(404);
  });
});

describe('sinceOf', () => {
  const since = (value: string): number => sinceOf({ value, isText: true, pointer: null });

  it.each([
    ['0', 0],
    ['1700000000', 1_700_000_000],
    ['1700000000.25', 1_700_000_000.25],
    ['007', 7],
  ])('reads %s', (text, seconds) => {
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
  ])('refuses %j and names it', (text) => {
    expect(() => since(text)).toThrow(Problem);
    expect(() => since(text)).toThrow(/^since must be a UNIX timestamp in seconds, not "/);
  });

  it('refuses its absence', () => {
    expect(() => sinceOf(undefined)).toThrow('since is missing');
  });

  it('gives a date or a Problem, whatever the text is', () => {
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
