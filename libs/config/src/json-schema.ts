import { getMetadataStorage } from 'class-validator';
import { aptSourcesSchema } from './apt-sources-file';
import { keysAtStart } from './at-start';
import type { FileName } from './folder';
import { fragmentOf, shapeBelow, type Fragment } from './in-schema';
import { rejectListSchema } from './reject-list-file';
import { keysOf } from './rules';
import { ServerFile } from './server-file';
import { WorkerFile } from './worker-file';

type Shape = new () => object;
type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const PLAIN = { 'proctor.yaml': ServerFile, 'worker.yaml': WorkerFile };

/** Rules of class-validator as JSON Schema; an empty object where another keyword covers the rule. */
const RULES: Record<string, (...constraints: never[]) => Fragment> = {
  isString: () => ({ type: 'string' }),
  isInt: () => ({ type: 'integer' }),
  isBoolean: () => ({ type: 'boolean' }),
  isObject: () => ({ type: 'object' }),
  isArray: () => ({ type: 'array' }),
  isNotEmpty: () => ({ minLength: 1 }),
  isIn: (values: unknown[]) => ({ enum: values }),
  min: (minimum: number) => ({ minimum }),
  max: (maximum: number) => ({ maximum }),
  maxLength: (maxLength: number) => ({ maxLength }),
  isLength: (minLength: number, maxLength: number) => ({ minLength, maxLength }),
  matches: (pattern: RegExp) => ({ type: 'string', pattern: pattern.source }),
  isUrl: () => ({ type: 'string', pattern: '^https?://' }),
  arrayNotEmpty: () => ({ minItems: 1 }),
  arrayMaxSize: (maxItems: number) => ({ maxItems }),
  arrayUnique: () => ({ uniqueItems: true }),
  isOptional: () => ({}),
};

/**
 * JSON Schema (draft 7) of a file, built from the classes that validate it. It covers rules about one value; rules about several
 * are left to `proctor config check`.
 * @param page docs/configuration.md, which has the description of each key
 */
export function schemaOf(file: FileName, page: string): Fragment {
  const head = { $schema: 'http://json-schema.org/draft-07/schema#', title: `Proctor: ${file}` };
  if (file === 'apt-sources.yaml') return { ...head, ...aptSourcesSchema() };
  if (file === 'reject-list.yaml') return { ...head, ...rejectListSchema() };
  const meanings = new Map(
    [...documentedKeys(page, file)].map(([key, { meaning }]) => [key, plain(meaning)]),
  );
  return { ...head, ...objectOf(PLAIN[file], '', meanings) };
}

function objectOf(shape: Shape, prefix: string, meanings: Map<string, string>): Fragment {
  const defaults = new Map(Object.entries(new shape()));
  const properties: Record<string, Fragment> = {};
  const required: string[] = [];
  for (const key of keysOf(shape)) {
    const rules = rulesOf(shape, key);
    const isOptional = rules.some(({ name }) => name === 'isOptional');
    if (!isOptional && defaults.get(key) === undefined) required.push(key);
    const path = `${prefix}${key}`;
    const meaning = [meanings.get(path), keysAtStart(shape).has(key) && 'A change needs a restart.'];
    const description = meaning.filter(Boolean).join(' ');
    properties[key] = {
      ...(description && { description }),
      ...valueOf(shape, key, path, meanings),
      ...defaultOf(shape, key, defaults.get(key)),
    };
  }
  const needed = required.length > 0 ? { required } : {};
  return { type: 'object', additionalProperties: false, ...needed, properties };
}

function valueOf(shape: Shape, key: string, path: string, meanings: Map<string, string>): Fragment {
  const below = shapeBelow(shape, key);
  const rules = rulesOf(shape, key);
  const inner = below && objectOf(below, `${path}.`, meanings);
  if (inner && !rules.some(({ name }) => name === 'isArray')) return inner;
  const own = fragmentOf(shape.prototype as object, key);
  const fragment: Fragment = { ...own };
  for (const { name = '', each, constraints, type } of rules) {
    if (type === 'nestedValidation') continue;
    const schemaOfRule = RULES[name];
    // A rule of our own carries its schema.
    if (!schemaOfRule && own) continue;
    if (!schemaOfRule) throw new Error(`${path}: the rule ${name} has no JSON Schema`);
    const schema = schemaOfRule(...((constraints ?? []) as never[]));
    if (each) fragment['items'] = { ...(fragment['items'] as Fragment | undefined), ...schema };
    else Object.assign(fragment, schema);
  }
  return inner ? { ...fragment, items: inner } : fragment;
}

function rulesOf(shape: Shape, key: string): Rule[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  return rules.filter(({ propertyName }) => propertyName === key);
}

function defaultOf(shape: Shape, key: string, value: unknown): Fragment {
  const isSection = shapeBelow(shape, key) !== undefined && !Array.isArray(value);
  return isSection || value === undefined ? {} : { default: value };
}

/** The text without Markdown. */
function plain(text: string): string {
  return text
    .replace(/\[([^[\]]+)\]\([^()]*\)/g, '$1')
    .replace(/`/g, '')
    .replace(/\\\|/g, '|');
}

/** The description of a key in docs/configuration.md. */
interface DocumentedKey {
  default: string;
  /** `at once` or `restart`. */
  change: string;
  meaning: string;
}

/** The rows of a file's table in docs/configuration.md, by key. */
export function documentedKeys(page: string, file: string): Map<string, DocumentedKey> {
  const section = page.split(/^## /m).find((text) => text.startsWith(`\`${file}\``)) ?? '';
  const rows = [
    ...section.matchAll(
      /^\| `([\w.]+)` *\|((?:[^|\\\n]|\\.)*)\|((?:[^|\\\n]|\\.)*)\|((?:[^|\\\n]|\\.)*)\|$/gm,
    ),
  ];
  return new Map(
    rows.map(([, key = '', ...cells]) => {
      const [standard = '', change = '', meaning = ''] = cells.map((cell) => cell.trim());
      return [key, { default: standard, change, meaning }];
    }),
  );
}
