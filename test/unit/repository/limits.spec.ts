import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUS_LIMITS } from '@proctor/bus';

const project = join(__dirname, '../../..');
const docs = join(project, 'docs');
const page = readFileSync(join(docs, 'limits.md'), 'utf8');

interface Row {
  name: string;
  written: string;
  /** Path from docs/. */
  test: string | undefined;
}

const cellsOf = (line: string) => line.split('|').map((cell) => cell.trim());
const isHead = (cells: string[]) => cells[1] === 'input' || cells[1] === 'setting' || /^-+$/.test(cells[1]!);
const bare = (cell: string) => cell.replaceAll('`', '');
const tableLines = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map(cellsOf)
  .filter((cells) => !isHead(cells));

const rows = tableLines
  .filter(({ length }) => length === 8)
  .map(([, , , , name = '', valueText = '', test = '']): Row => {
    return { name: bare(name), written: valueText, test: /\]\(([^)]+)\)$/.exec(test)?.[1] };
  });
/** Settings that limit nothing, and why. */
const others = new Map(
  tableLines
    .filter(({ length }) => length === 4)
    .map(([, setting = '', why = '']) => [bare(setting), why] as const),
);

interface SchemaPart {
  type?: string | string[];
  default?: unknown;
  properties?: Record<string, SchemaPart>;
  items?: SchemaPart;
  additionalProperties?: SchemaPart | boolean;
}

/** Each number of a schema, by its path, with its default. Numbers of a map have the path of the map. */
function numbersIn(part: SchemaPart, path = ''): [path: string, value: unknown][] {
  const { properties = {}, items, additionalProperties: each } = part;
  const numbers: [string, unknown][] = [part.type]
    .flat()
    .some((type) => type === 'integer' || type === 'number')
    ? [[path, part.default]]
    : [];
  for (const [name, inner] of Object.entries(properties))
    numbers.push(...numbersIn(inner, path === '' ? name : `${path}.${name}`));
  if (items) numbers.push(...numbersIn(items, path));
  if (typeof each === 'object') numbers.push(...numbersIn(each, path));
  return numbers;
}

const settings = new Map(
  readdirSync(join(docs, 'schema')).flatMap((file) =>
    numbersIn(JSON.parse(readFileSync(join(docs, 'schema', file), 'utf8')) as SchemaPart),
  ),
);
const ofBus = new Map<string, unknown>(Object.entries(BUS_LIMITS));
const sources = ['apps', 'libs']
  .flatMap((top) =>
    readdirSync(join(project, top), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
      .map((path) => readFileSync(join(project, top, path), 'utf8')),
  )
  .join('\n');

const UNITS: Record<string, number> = {
  ms: 1,
  s: 1_000,
  min: 60_000,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};
/** Milliseconds, or bytes; null for none. */
function valueOf(name: string, text: string): number | null {
  const [, number, unit = ''] = /^([\d,]+)(?: (\w+))?$/.exec(text) ?? [];
  if (number === undefined) return null;
  const value = Number(number.replaceAll(',', ''));
  if (name.endsWith('Ms') && unit === 'days') return value * 86_400_000;
  // The name of a setting says which of these it is.
  return /(?:Hours|Days|Seconds\w*)$/.test(name) ? value : value * (UNITS[unit] ?? 1);
}

it('the limits are in tables', () => expect(rows.length).toBeGreaterThan(100));

it('no limit is in the tables twice', () => {
  const names = rows.map(({ name }) => name);
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
});

it.each(rows)(
  'the limit $name is in the code, and its test knows it',
  ({ name, written: valueText, test }) => {
    const last = name.split('.').at(-1)!;
    const value = settings.has(name) ? settings.get(name) : ofBus.get(name);
    if (settings.has(name) || ofBus.has(name)) expect(valueOf(name, valueText)).toBe(value ?? null);
    else
      expect(sources).toMatch(
        new RegExp(`(?:\\b(?:const|class|function\\*?|readonly) |^\\s*)${name}\\b`, 'm'),
      );
    const path = join(docs, test ?? 'no test is named');
    expect([path, existsSync(path)]).toEqual([path, true]);
    expect(readFileSync(path, 'utf8')).toMatch(new RegExp(`\\b${last}\\b`));
  },
);

it('each number of the configuration and of the bus is a limit with a test, or said to be none and why', () => {
  const listed = [...rows.map(({ name }) => name), ...others.keys()];
  const names = [...settings.keys(), ...ofBus.keys()];
  expect(names.filter((name) => !listed.includes(name))).toEqual([]);
  expect([...others.keys()].filter((name) => !names.includes(name))).toEqual([]);
  expect(
    [...others].filter(([name, why]) => why.length < 5 || rows.some((row) => row.name === name)),
  ).toEqual([]);
});
