import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import * as contracts from '@proctor/contracts';
import { parse } from 'yaml';
import { createProgram } from '@apps/cli/src/program';
import { listCommands } from '@apps/cli/src/reference/tree';
import { controllersOfApi, routesOf } from '@test/support/routes';

const project = join(__dirname, '../../..');
const textOf = (path: string): string => readFileSync(join(project, path), 'utf8');

/** Files below a folder whose names end so. */
function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map(({ parentPath, name }) => join(relative(project, parentPath), name));
}

/** What people read. Decisions describe the time when they were taken. */
const DOCUMENTS = [
  ...readdirSync(project).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md'),
  ...filesIn('docs', /\.md$/).filter((path) => !path.startsWith('docs/adr/')),
];
const EXAMPLES = filesIn('config', /\.yaml$/);
/** The documents without addresses of debci. */
const OF_PROCTOR = [...DOCUMENTS.filter((path) => path !== 'docs/moving-in.md'), ...EXAMPLES];

const routes = controllersOfApi().flatMap(routesOf);

/** Something that a document names. */
interface Named {
  document: string;
  name: string;
}

/** What a pattern finds in code: between backticks, and in blocks of code; in examples everywhere. */
function namedInCode(pattern: RegExp, documents = [...DOCUMENTS, ...EXAMPLES]): Named[] {
  return documents.flatMap((document) =>
    codeOf(document)
      .flatMap((code) => [...code.matchAll(pattern)])
      .map((match) => ({ document, name: match[1]! })),
  );
}

/** The lines of the blocks of code, and what stands between backticks beside them. */
function codeOf(document: string): string[] {
  const text = textOf(document);
  if (!document.endsWith('.md')) return text.split('\n');
  const [prose, blocks]: [string[], string[]] = [[], []];
  for (const [place, part] of text.split(/^ *```.*$/m).entries()) (place % 2 ? blocks : prose).push(part);
  const spans = prose.flatMap((part) => [...part.matchAll(/`([^`]+)`/g)].map(([, span]) => span!));
  return [...spans, ...blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))];
}

/** What is said of a document that names something that is not there. */
function unknown(namedThings: Named[], isThere: (name: string) => boolean): string[] {
  return namedThings.filter(({ name }) => !isThere(name)).map(({ document, name }) => `${document}: ${name}`);
}

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
}

const [SERVER, WORKER] = ['proctor', 'worker'].map(
  (name) => JSON.parse(textOf(`docs/schema/${name}.schema.json`)) as Schema,
) as [Schema, Schema];

/** Whether a file of this schema may hold the key; lists and named entries are passed over. */
function holds(schema: Schema | undefined, [key, ...rest]: string[]): boolean {
  if (key === undefined || schema === undefined) return schema !== undefined;
  if (schema.items) return holds(schema.items, [key, ...rest]);
  const own = schema.properties?.[key];
  if (own) return holds(own, rest);
  const entry = schema.additionalProperties;
  if (typeof entry !== 'object') return false;
  return holds(entry, rest) || holds(entry, [key, ...rest]);
}

describe('what documents and examples name is there', () => {
  it('settings', () => {
    const names = namedInCode(
      /(?<![\w./-])((?:api|store|scheduler|retention|metrics)\.[a-z]\w+(?:\.\w+)*)(?![\w/-]|\.\w)/g,
    ).filter(({ name }) => !/\.(?:ts|js|service|target|json|example|sha256)$/.test(name));
    expect(names.length).toBeGreaterThan(100);
    const isThere = (name: string): boolean => [SERVER, WORKER].some((each) => holds(each, name.split('.')));
    expect(unknown(names, isThere)).toEqual([]);
  });

  it('keys in pieces of configuration', () => {
    const pieces = DOCUMENTS.flatMap((document) =>
      [...textOf(document).matchAll(/^( *)```yaml\n([\s\S]*?)^ *```$/gm)].map(
        ([, indent = '', text = '']) => ({
          document,
          content: parse(text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')) as unknown,
        }),
      ),
    );
    const own = new Set([SERVER, WORKER].flatMap(({ properties }) => Object.keys(properties!)));
    const names = pieces
      .filter(({ content }) => Object.keys(content as object).some((key) => own.has(key)))
      .flatMap(({ document, content }) => keysIn(content).map((name) => ({ document, name })));
    expect(names.length).toBeGreaterThan(20);
    const isThere = (name: string): boolean => [SERVER, WORKER].some((each) => holds(each, name.split('\0')));
    expect(unknown(names, isThere).map((text) => text.replaceAll('\0', '.'))).toEqual([]);
  });

  it('files of the project, also those that are named without their folder', () => {
    const paths = namedInCode(
      /(?<![\w./*~$:-])((?:apps|libs|test|docs|scripts|config|deploy|bin)\/[\w./-]*\w)(?![\w*{])/g,
    );
    const names = namedInCode(
      /(?<![\w./*-])([a-z][\w-]*(?:\.spec)?\.(?:ts|mjs|cjs|eta))(?![\w-])/g,
      DOCUMENTS,
    );
    expect([paths.length > 50, names.length > 20]).toEqual([true, true]);
    const all = new Set(
      ['apps', 'libs', 'test', 'scripts', 'bin', 'deploy', 'docs'].flatMap((folder) =>
        filesIn(folder, /./).map((path) => basename(path)),
      ),
    );
    for (const name of readdirSync(project)) all.add(name);
    const isThere = (path: string): boolean => existsSync(join(project, path));
    expect(unknown(paths, isThere)).toEqual([]);
    expect(unknown(names, (name) => all.has(name))).toEqual([]);
  });

  it('commands of proctor, and their options', () => {
    const commands = listCommands(createProgram());
    const lines = namedInCode(
      /(?<![\w./@:{-]|(?:-u|--owner|--pwprompt|use_backend) )proctor ((?:--?[a-z]|[a-z])[^|;&#>)`]*)/g,
    );
    // The name of a connection.
    const typed = lines.filter(({ name }) => name !== 'commit search');
    expect(typed.length).toBeGreaterThan(100);
    const everywhere = new Set(['--help', '--version', ...commands[0]!.options.map(({ long }) => long)]);
    const isThere = (line: string): boolean => {
      const words = line
        .trim()
        .split(/\s+/)
        .map((word) => word.replace(/[.,:]$/, ''));
      const own = words.filter((word) => !word.startsWith('-') && /^[a-z]/.test(word));
      const command = [...commands]
        .sort((a, b) => b.words.length - a.words.length)
        .find(({ words: [, ...commandWords] }) => commandWords.every((word, place) => own[place] === word))!;
      const options = new Set(command.options.map(({ long }) => long));
      const givenOptions = words.filter((word) => word.startsWith('--') && word !== '--');
      return (
        (command.subcommands.length === 0 || own.length === command.words.length - 1) &&
        givenOptions.every((option) => [options, everywhere].some((set) => set.has(option.split('=')[0]!)))
      );
    };
    expect(unknown(typed, isThere)).toEqual([]);
  });

  it('addresses of the api, its pages and its data', () => {
    const tops = [...new Set(routes.map(({ path }) => path.split('/')[1]!))].filter((top) =>
      /^[\w-]+$/.test(top),
    );
    const names = namedInCode(
      new RegExp(
        `(?:^|[\\s"'(]|[a-z0-9\\]]:\\d+|example\\.\\w+|HOST)(/(?:${tops.join('|')})(?:/[^\\s"'\`,;)?#]*)?)`,
        'g',
      ),
      OF_PROCTOR,
    );
    expect(names.length).toBeGreaterThan(80);
    const isThere = (route: string): boolean => routes.some(({ path }) => fits(route, path));
    expect(unknown(names, isThere)).toEqual([]);
  });

  it('requests of the API, by method and path', () => {
    const names = OF_PROCTOR.flatMap((document) =>
      [...textOf(document).matchAll(/\b((?:GET|POST|PUT|PATCH|DELETE) \/api\/v1\/[\w/{}:.-]*[\w}])/g)].map(
        ([, name]) => ({ document, name: name! }),
      ),
    );
    expect(names.length).toBeGreaterThan(10);
    const isThere = (request: string): boolean => {
      const [method, path] = request.split(' ') as [string, string];
      return routes.some((route) => route.method === method && fits(path, route.path));
    };
    expect(unknown(names, isThere)).toEqual([]);
  });

  it('scripts of npm', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const names = namedInCode(/\bnpm (?:run )?((?:(?<=run )[\w:-]+)|start|test)\b/g);
    expect(names.length).toBeGreaterThan(20);
    expect(unknown(names, (name) => name in scripts)).toEqual([]);
  });

  it('variables of the environment', () => {
    const sources = ['apps', 'libs', 'bin', 'scripts', 'test', 'deploy']
      .flatMap((folder) => filesIn(folder, /\.(?:ts|mjs|cjs|js|sh|service|cfg|yaml|yml)$|^[\w-]+$/))
      .filter((path) => path !== 'test/unit/repository/true-documents.spec.ts');
    const readVariables = new Set(
      [...sources, 'Dockerfile', 'docker-compose.yml'].flatMap((path) =>
        [...textOf(path).matchAll(/PROCTOR_[A-Z0-9_]*[A-Z0-9]/g)].map(([name]) => name),
      ),
    );
    const names = namedInCode(/\b(PROCTOR_[A-Z0-9_]*[A-Z0-9])(?![A-Z0-9_*{]|\w)/g);
    expect(names.length).toBeGreaterThan(20);
    expect(unknown(names, (name) => readVariables.has(name))).toEqual([]);
  });

  it('subjects of the wire', () => {
    const patterns = subjectPatterns();
    const names = namedInCode(/^(proctor\.(?:\w+\.[^\s`]+))$/g, DOCUMENTS).filter(
      ({ name }) => !/\.example\b/.test(name),
    );
    expect(names.length).toBeGreaterThan(20);
    const isThere = (subject: string): boolean => patterns.some((pattern) => overlaps(subject, pattern));
    expect(unknown(names, isThere)).toEqual([]);
  });
});

/** The names on the way to each value in nested mappings, joined by NUL. */
function keysIn(content: unknown, above: string[] = []): string[] {
  if (Array.isArray(content)) return content.flatMap((entry) => keysIn(entry, above));
  if (typeof content !== 'object' || content === null) return above.length > 0 ? [above.join('\0')] : [];
  return Object.entries(content).flatMap(([key, value]) => keysIn(value, [...above, key]));
}

/** Whether a documented address may be one of the route; either may have names for parts that vary. */
function fits(path: string, route: string): boolean {
  const isBeginning = /[/…]$/.test(path);
  const [partsOfPath, partsOfRoute] = [path.replace(/[.…]$/, ''), route].map((each) =>
    each.split('/').filter((part) => part !== ''),
  ) as [string[], string[]];
  const isOpen = partsOfRoute.at(-1)?.startsWith('*') ?? false;
  if (isBeginning && partsOfPath.length < partsOfRoute.length) partsOfRoute.length = partsOfPath.length;
  if (isOpen ? partsOfPath.length < partsOfRoute.length : partsOfPath.length !== partsOfRoute.length)
    return false;
  return partsOfRoute.every((part, place) => {
    const word = partsOfPath[place]!;
    const pattern = part.replaceAll(/[.+]/g, '\\$&').replaceAll(/:\w+|\*\w*|\{[^}]*\}/g, '.+');
    return new RegExp(`^${pattern}$`).test(word) || /[{<…*]|^[A-Z]+$/.test(word);
  });
}

/** What the contracts have as subjects, with `*` for a part that varies. */
function subjectPatterns(): string[] {
  const texts = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(texts)
        : [];
  const constants = Object.values(contracts)
    .flatMap(texts)
    .filter((text) => /^proctor\.[a-z]+\./.test(text))
    .map((text) => (text.endsWith('.') ? `${text}>` : text));
  const source = textOf('libs/contracts/src/subjects.ts');
  const templates = [...source.matchAll(/`(proctor\.[^`]+)`;?$/gm)].map(([, text]) => text!);
  return [...constants, ...templates.map((text) => text.replaceAll(/\$\{[^}]*\}/g, '*'))];
}

/** Whether a subject, with names for parts that vary, is one of the pattern. */
function overlaps(subject: string, pattern: string): boolean {
  const [one, other] = [subject, pattern].map((each) =>
    each.split('.').map((part) => (/[{*]/.test(part) ? '*' : part)),
  ) as [string[], string[]];
  for (let place = 0; place < Math.max(one.length, other.length); place += 1) {
    const [a, b] = [one[place], other[place]];
    if (a === '>' || b === '>') return true;
    if (a === undefined || b === undefined || (a !== b && a !== '*' && b !== '*')) return false;
  }
  return true;
}
