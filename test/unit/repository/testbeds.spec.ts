import { readFileSync } from 'node:fs';
import { BACKENDS, expectationsOf, verdictsByPackage } from '@test/acceptance/expectations';
import { TESTBED_PROPERTIES } from '@test/end-to-end/worker/testbed-properties';

const section = (heading: string): string => {
  const sections = readFileSync('docs/testbeds.md', 'utf8').split('\n## ');
  return sections.find((each) => each.startsWith(`${heading}\n`)) ?? '';
};

/** The rows of a table in Markdown, cells without the blanks around them. */
function rows(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

it('docs/testbeds.md has what the testbeds are probed for, and why one lacks it', () => {
  const table = section('What each testbed has');
  const reasons = [...new Set(TESTBED_PROPERTIES.flatMap(({ lacks }) => Object.values(lacks ?? {})))];
  const cell = (why: string | undefined) => (why === undefined ? 'yes' : `no: ${reasons.indexOf(why) + 1}`);
  expect(rows(table).slice(2)).toEqual(
    TESTBED_PROPERTIES.map(({ name, elsewhere, lacks }) => [
      name,
      elsewhere,
      ...BACKENDS.map((backend) => cell(lacks?.[backend])),
    ]),
  );
  const listed = [...table.matchAll(/^(\d+)\. (.*)\.$/gm)].map(([, number, why]) => [Number(number), why]);
  expect(listed).toEqual(reasons.map((why, place) => [place + 1, why]));
});

it('docs/testbeds.md has the packages that the acceptance test runs, and says why one does not pass', () => {
  const expectations = expectationsOf('network-packages.tsv');
  expect(rows(section('Packages whose tests use names, ports and services')).slice(2)).toEqual(
    verdictsByPackage(expectations),
  );
  for (const { exitCodes, because } of expectations) expect(because === '').toBe(exitCodes[0] === 0);
});
