import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const docs = join(__dirname, '../../../docs');
const page = readFileSync(join(docs, 'limits.md'), 'utf8');

/** Rows of the tables: the name of a limit, and the test that shows it. */
const rows = page.split('\n').flatMap((line): [name: string, test: string][] => {
  const [, , , , name, , test] = line.split('|').map((cell) => cell.trim());
  const [, path] = /\]\(([^)]+)\)$/.exec(test ?? '') ?? [];
  return path === undefined ? [] : [[(name ?? '').replaceAll('`', ''), path]];
});

it('the limits are in tables', () => expect(rows.length).toBeGreaterThan(40));

it.each(rows)('the limit %s is shown by the test %s', (name, test) => {
  const path = join(docs, test);
  expect(existsSync(path)).toBe(true);
  expect(readFileSync(path, 'utf8')).toMatch(new RegExp(`\\b${name}\\b`));
});

it('each setting that limits what clients send or wait for is in the tables', () => {
  const settings = readFileSync(join(docs, 'configuration.md'), 'utf8');
  const named = [
    ...settings.matchAll(
      /^\| `api\.(\w*(?:Bytes|Requests|requests|items|TimeoutMs|WaitMs|waitSeconds)\w*)`/gm,
    ),
  ];
  const limits = named.map(([, name]) => name!);
  expect(limits.length).toBeGreaterThan(10);
  const listed = new Set(rows.map(([name]) => name));
  expect(limits.filter((name) => !listed.has(name))).toEqual([]);
});
