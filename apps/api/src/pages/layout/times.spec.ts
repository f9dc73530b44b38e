import { agoHtml, estimateInWords, secondsInWords, timeHtml } from './times';

it('a time is written in UTC, whatever replaces it later', () => {
  const time = new Date('2026-11-20T15:40:51.400Z');
  expect(timeHtml(time).text).toBe(
    '<time datetime="2026-11-20T15:40:51.400Z">2026-11-20 15:40:51 UTC</time>',
  );
  expect(agoHtml(time).text).toBe(
    '<time datetime="2026-11-20T15:40:51.400Z" title="2026-11-20 15:40:51 UTC" data-ago>2026-11-20 15:40:51 UTC</time>',
  );
  expect(timeHtml(null).text).toBe('');
});

it.each([
  [0, 'under\u00a0a\u00a0second'],
  [0.9, 'under\u00a0a\u00a0second'],
  [12, '12\u00a0s'],
  [60, '1\u00a0min'],
  [65.4, '1\u00a0min\u00a05\u00a0s'],
  [3_599, '59\u00a0min\u00a059\u00a0s'],
  [3_600, '1\u00a0h'],
  [7_384, '2\u00a0h\u00a03\u00a0min'],
  [86_400, '1\u00a0d'],
  [349_260, '4\u00a0d\u00a01\u00a0h'],
])('a length of %d seconds is written as %s', (seconds, words) => {
  expect(secondsInWords(seconds)).toBe(words);
});

it.each([
  [0, 'about\u00a01\u00a0min'],
  [61, 'about\u00a02\u00a0min'],
  [700, 'about\u00a012\u00a0min'],
  [7_260, 'about\u00a02\u00a0h\u00a01\u00a0min'],
])('an expected length of %d seconds is written as %s', (seconds, words) => {
  expect(estimateInWords(seconds)).toBe(words);
});
