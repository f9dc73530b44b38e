import { removedBy, ruleSentence } from './expiry';

it.each([
  [removedBy('logs', 180), 'logs are kept for 180 days'],
  [removedBy('artifacts of passed runs', 1), 'artifacts of passed runs are kept for a day'],
  [removedBy('files of a package', 200 * 1024 ** 2), 'files of a package are kept up to 200 MiB'],
])('the rule %j is formatted as a sentence', (text, sentence) => {
  expect(ruleSentence(text)).toBe(sentence);
});
