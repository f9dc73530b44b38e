import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const project = join(__dirname, '../../..');
const page = readFileSync(join(project, 'docs/security.md'), 'utf8');

/** Paragraphs, items of lists and rows of tables. */
const blocks = page.split(/\n\s*\n|\n(?=- |\d+\. |\| )/).filter((block) => !/^\s*(?:#|\| -)/.test(block));

const UNIT =
  '(?:bits|bytes|[KMG]iB|characters|seconds?|minutes?|hours?|connections|handlers|reports|requests)';
const CLAIM = new RegExp(
  String.raw`\blimit(?:s|ed)?\b|\bat most\b|\bno more than\b|\bnever (?:has )?more\b|\b(?:\d[\d,]*|two|ten) (?:\w+ )?${UNIT}\b`,
  'i',
);
const TEST = /(?:\]\(\.\.\/|`)((?:apps|libs|test)\/[\w./-]+\.spec\.ts)[)`]/g;

const claims = blocks.filter((block) => CLAIM.test(block));
const testsOf = (block: string): string[] => [...block.matchAll(TEST)].map(([, path]) => path!);

it('claims about limits are found', () => expect(claims.length).toBeGreaterThan(6));

it.each(claims.map((claim) => [claim.slice(0, 60), claim] as const))(
  'what security.md says of a limit has a test: %s',
  (_, claim) => {
    if (claim.includes('(limits.md)')) return;
    expect(testsOf(claim)).not.toEqual([]);
  },
);

it('each test that security.md names is there', () => {
  expect(testsOf(page).filter((path) => !existsSync(join(project, path)))).toEqual([]);
});
