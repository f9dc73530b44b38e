import { ERROR_PATTERNS, errorExpression, isProgress, lineKind } from './error-patterns';

const ERRORS = errorExpression(ERROR_PATTERNS);
const SHORT = 4_000;
const TIMES = 8;

/** The least of several, since others use the machine too. */
function leastMs(work: () => unknown): number {
  return Math.min(
    ...Array.from({ length: 7 }, () => {
      const begun = performance.now();
      work();
      return performance.now() - begun;
    }),
  );
}

// Eight times the length takes eight times as long; 64 times if each place of the text reads on to the end.
it.each([
  ...[
    'a',
    ' ',
    '1',
    '.',
    ':',
    '/',
    '(',
    '*',
    '*** ',
    '1/1 ',
    '0 errors',
    'error: +0',
    'ssertion',
    'Assertion ',
  ],
  ...['Depends: ', 'FAILED', 'a_b.', "thread '", 'at x.y(', '*** Error', 'Error: ', '\u2716 ', 'ok 1 '],
])('the time for a line of many %j grows with its length and no faster', (piece) => {
  const [short, long] = [SHORT, SHORT * TIMES].map(
    (length) => piece.repeat(length / piece.length) + '\u0001',
  );
  const read = (line: string) => [ERRORS.test(line), lineKind(line), isProgress(line)];
  const ms = (line: string): number => leastMs(() => read(line));
  expect(ms(long!) / Math.max(ms(short!), 0.05)).toBeLessThan(TIMES * 4);
});
