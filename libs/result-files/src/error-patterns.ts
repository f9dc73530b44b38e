/** Characters of a line in which errors are looked for. */
export const SEARCHED_LENGTH_MAX = 1_000;

/**
 * What a line that tells of an error looks like, as JavaScript's regular expressions. A deployment may have other ones. None of
 * them looks back, so that a hostile line takes no longer than another.
 */
export const ERROR_PATTERNS: readonly string[] = [
  '^E: ',
  '\\b(?:fatal |internal |syntax |compile )?[Ee]rror:',
  '\\bERROR\\b',
  '\\bFATAL\\b',
  '\\b\\w{1,60}(?:Error|Exception): ',
  '^Traceback \\(most recent call last\\)',
  '^(?:FAIL|FAILED|FAILURE)\\b',
  '^not ok\\b',
  '\\bFAILED$',
  '[Ss]egmentation fault',
  '[Aa]ssertion .{0,200}failed',
  '\\bpanic: |\\bpanicked at\\b',
  '\\bcommand not found$',
  ': No such file or directory$',
  ': Permission denied$',
  '\\bundefined reference to\\b',
  '\\*\\*\\* .{0,300}Error \\d',
  'The following packages have unmet dependencies',
  '\\bKilled$',
];

/** One expression for all. @throws SyntaxError for a pattern that is none */
export function errorExpression(patterns: readonly string[]): RegExp {
  return patterns.length === 0 ? /(?!)/ : new RegExp(patterns.map((each) => `(?:${each})`).join('|'));
}
