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
  [0, 'under a second'],
  [0.9, 'under a second'],
  [12, '12 s'],
  [60, '1 min'],
  [65.4, '1 min 5 s'],
  [3_599, '59 min 59 s'],
  [3_600, '1 h'],
  [7_384, '2 h 3 min'],
  [86_400, '1 d'],
  [349_260, '4 d 1 h'],
])('a length of %d seconds is written as %s', (seconds, words) => {
  expect(secondsInWords(seconds)).toBe(words);
});

it.each([
  [0, 'about 1 min'],
  [61, 'about 2 min'],
  [700, 'about 12 min'],
  [7_260, 'about 2 h 1 min'],
])('an expected length of %d seconds is written as %s', (seconds, words) => {
  expect(estimateInWords(seconds)).toBe(words);
});
