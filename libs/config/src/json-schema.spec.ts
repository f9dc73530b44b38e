import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { FILES, type FileName } from './folder';
import type { Fragment } from './in-schema';
import { schemaOf } from './json-schema';

const project = join(__dirname, '../../..');
const textOf = (path: string): string => readFileSync(join(project, path), 'utf8');
const page = textOf('docs/configuration.md');
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, formats: { regex: true } });
const validators = new Map(FILES.map((file) => [file, ajv.compile(schemaOf(file, page))]));
const accepts = (file: FileName, text: string): boolean => validators.get(file)!(parse(text) ?? {});

it.each(FILES)('docs/schema has the schema of %s as it is; `npm run schema` writes it', (file) => {
  const schemaText = textOf(`docs/schema/${file.replace('.yaml', '.schema.json')}`);
  expect(JSON.parse(schemaText)).toEqual(schemaOf(file, page));
});

it.each(FILES)('config/%s names its schema for editors, and is accepted by it', (file) => {
  const text = textOf(`config/${file}`);
  expect(text.split('\n')[0]).toBe(
    `# yaml-language-server: $schema=../docs/schema/${file.replace('.yaml', '.schema.json')}`,
  );
  expect([accepts(file, text), validators.get(file)!.errors]).toEqual([true, null]);
});

it('every key of a schema is described', () => {
  const lacking = (schema: Fragment, path: string): string[] =>
    Object.entries((schema['properties'] ?? {}) as Record<string, Fragment>).flatMap(([key, value]) => [
      ...(value['properties'] || value['description'] ? [] : [`${path}${key}`]),
      ...lacking((value['items'] as Fragment | undefined) ?? value, `${path}${key}.`),
    ]);
  const inClaims = /^api\.login\.providers\.(mayLogIn|administrators)\.(claim|values)$/;
  const all = FILES.flatMap((file) => lacking(schemaOf(file, page), ''));
  expect(all.filter((path) => !inClaims.test(path))).toEqual([]);
});

it.each<[FileName, string]>([
  ['proctor.yaml', 'suits: [sid]'],
  ['proctor.yaml', 'suites: []'],
  ['proctor.yaml', 'suites: [sid, sid]'],
  ['proctor.yaml', 'suites: [a b]'],
  ['proctor.yaml', 'api: { port: 65536 }'],
  ['proctor.yaml', 'api: { port: high }'],
  ['proctor.yaml', 'api: { prot: 80 }'],
  ['proctor.yaml', 'api: { neutral: fail }'],
  ['proctor.yaml', 'api: { serviceName: "" }'],
  ['proctor.yaml', 'api: { login: { providers: [{ id: a }] } }'],
  ['proctor.yaml', 'api: { packageLinks: [{ name: a, url: "https://a.example/{user}" }] }'],
  ['proctor.yaml', 'store: { kind: tape }'],
  ['proctor.yaml', 'scheduler: { retry: { attemptsMax: 0 } }'],
  ['proctor.yaml', 'scheduler: { fairShare: { weights: { ci: 0 } } }'],
  ['proctor.yaml', 'scheduler: { sizeClasses: { big: [Linux] } }'],
  ['worker.yaml', 'slots: 0'],
  ['worker.yaml', 'variants: { mine: [] }'],
  ['worker.yaml', 'timeouts: { "Linux": 5000 }'],
  ['worker.yaml', 'timeouts: { linux: 1 }'],
  ['worker.yaml', 'environment: { "1": x }'],
  ['worker.yaml', 'visiblePaths: [srv]'],
  ['worker.yaml', 'metrics: { ports: 1 }'],
  ['apt-sources.yaml', 'x: { lines: [deb] }'],
  ['apt-sources.yaml', 'x: { lines: [] }'],
  ['apt-sources.yaml', 'x: { lines: [deb http://a.example sid main], user: [a] }'],
  ['reject-list.yaml', 'hello: { sid: "" }'],
  ['reject-list.yaml', 'hello: { sid: { amd64: { "*": why } } }'],
  ['reject-list.yaml', 'Hello: {}'],
])('%s: an editor sees that %s is wrong', (file, text) => expect(accepts(file, text)).toBe(false));

it.each<[FileName, string]>([
  ['worker.yaml', 'timeouts: { "linux-*": 5000, "*": 6000 }'],
  ['proctor.yaml', 'scheduler: { sizeClasses: { big: [linux, gcc-*] } }'],
  ['apt-sources.yaml', 'x: { lines: [deb http://a.example sid main], users: [a] }'],
  ['reject-list.yaml', 'hello: { "*": { amd64: { "*": "", "1.10-1": } } }'],
])('%s: an editor accepts %s', (file, text) => expect(accepts(file, text)).toBe(true));
