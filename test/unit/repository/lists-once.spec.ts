import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_ACTIONS, FACT_KINDS, OWN_BACKENDS, UNTESTED_VERDICTS, VERDICTS } from '@proctor/contracts';
import { TRIAGE_KINDS, TRIGGER_GROUPS } from '@proctor/resources';

const project = join(__dirname, '../../..');

/** Each list, and the one file of the product that may spell it. */
const LISTS: Record<string, { words: readonly string[]; file: string }> = {
  // The verdicts about a package alone have other orders, too: severity, places in a picture.
  verdicts: { words: VERDICTS.slice(-UNTESTED_VERDICTS.length - 2), file: 'libs/contracts/src/words.ts' },
  'kinds of facts': { words: FACT_KINDS, file: 'libs/contracts/src/fact.ts' },
  'actions of the audit log': { words: AUDIT_ACTIONS, file: 'libs/contracts/src/words.ts' },
  backends: { words: OWN_BACKENDS, file: 'libs/contracts/src/words.ts' },
  'groups of tests': { words: TRIGGER_GROUPS, file: 'libs/resources/src/triggers.ts' },
  'kinds of triage': { words: TRIAGE_KINDS, file: 'libs/resources/src/comparisons.ts' },
};

const product = execFileSync('git', ['ls-files', 'apps', 'libs'], { cwd: project, encoding: 'utf8' })
  .split('\n')
  .filter((name) => /\.(?:ts|eta|yaml)$/.test(name) && !name.endsWith('.spec.ts'))
  .map((name) => ({ name, text: readFileSync(join(project, name), 'utf8') }));

/** Help texts spell lists whole: to load a list takes longer than the command itself. */
const HELP = /^apps\/cli\/src\/[\w-]+\/[\w-]+-commands\.ts$/;

/** Three neighbours of a list, one after the other, in code, types, markup or prose. */
function spelling(words: readonly string[]): RegExp {
  const triples = words.slice(2).map((third, place) => [words[place], words[place + 1], third]);
  const between = /['"`]?(?:<\/code>)?[\s,|]+(?:<code>)?['"`]?/.source;
  return new RegExp(triples.map((triple) => `\\b${triple.join(between)}\\b`).join('|'));
}

it.each(Object.entries(LISTS))(
  'the list of %s is spelled in one file of the product',
  (_, { words, file }) => {
    const spelled = spelling(words);
    const others = product.filter(
      ({ name, text }) => name !== file && !HELP.test(name) && spelled.test(text),
    );
    expect(others.map(({ name }) => name)).toEqual([]);
  },
);

it('help texts of the command name every verdict and every group of tests', () => {
  const help = product.filter(({ name }) => HELP.test(name));
  const whole = [VERDICTS, TRIGGER_GROUPS].map((words) =>
    help
      .filter(({ text }) => spelling(words).test(text))
      .map(({ text }) => text.includes(`${words.join(', ')};`)),
  );
  expect(whole).toEqual([[true, true], [true]]);
});

it('what describes the commands loads no rules, so that the command starts quickly', () => {
  const help = product.filter(({ name }) => HELP.test(name));
  expect(help.length).toBeGreaterThan(5);
  const slow = help.filter(({ text }) =>
    /^import (?!type ).*'@proctor\/(?:contracts|resources)';$/m.test(text),
  );
  expect(slow.map(({ name }) => name)).toEqual([]);
});

it('a copy of a list is found as code, as a type, in markup and in prose', () => {
  const spelled = spelling(['one', 'two', 'three', 'four']);
  const copies = ["['two', 'three', 'four']", "\n  | 'one'\n  | 'two'\n  | 'three'", 'one, two, three'];
  for (const text of [...copies, '<code>one</code>, <code>two</code>, <code>three</code>'])
    expect(spelled.test(text)).toBe(true);
  expect(spelled.test("['one', 'two', 'four']")).toBe(false);
});
