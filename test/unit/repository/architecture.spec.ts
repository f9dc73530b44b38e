import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

const project = join(__dirname, '../../..');
const ARCHITECTURE = readFileSync(join(project, 'ARCHITECTURE.md'), 'utf8');

const FILES_MAX = 12;
/** Lines of all files of the tour, as `wc -l` counts them. */
const LINES_MAX = 1_660;
/** A library's index.ts and the modules between two files of the tour. */
const IMPORTS_MAX = 5;

interface Stop {
  path: string;
  /** A word that stands in this file and in the one that leads here. */
  word: string | undefined;
  /** The place in the tour of the file that leads here; undefined for the one before. */
  from: number | undefined;
}

const ITEM = /^\d+\. \*\*[^*]+\*\*(?: \(`(?<word>\w+)`(?:, from (?<from>\d+))?\))? `(?<path>[^`]+)`/gm;

function stopsOf(text: string): Stop[] {
  const [, tour = ''] = text.split(/^## One run's life.*$/m);
  return [...tour.split(/^## /m)[0]!.matchAll(ITEM)].map(({ groups }) => ({
    path: groups!['path']!,
    word: groups!['word'],
    from: groups!['from'] === undefined ? undefined : Number(groups!['from']),
  }));
}

const textOf = (path: string): string => readFileSync(join(project, path), 'utf8');

/** The modules of the project that a file imports, as paths from its root. */
function importsOf(path: string): string[] {
  const names = [...textOf(path).matchAll(/(?:^|\n)(?:import|export)\s(?:[^'";]*\sfrom\s)?'([^']+)'/g)];
  return names.flatMap(([, name = '']) => {
    const library = /^@proctor\/([^/]+)$/.exec(name)?.[1];
    if (library !== undefined) return [`libs/${library}/src/index.ts`];
    const target = relative(project, join(project, dirname(path), name));
    return name.startsWith('.') && existsSync(join(project, `${target}.ts`)) ? [`${target}.ts`] : [];
  });
}

function leadsTo(from: string, to: string): boolean {
  let reached = new Set([from]);
  for (let far = 0; far < IMPORTS_MAX && !reached.has(to); far++)
    reached = new Set([...reached].flatMap((path) => [path, ...importsOf(path)]));
  return reached.has(to);
}

const hasWord = (path: string, word: string): boolean => new RegExp(`\\b${word}\\b`).test(textOf(path));

describe('the tour of ARCHITECTURE.md', () => {
  const stops = stopsOf(ARCHITECTURE);

  it('the tour of ARCHITECTURE.md is short enough to be read', () => {
    expect(stops.length).toBeGreaterThan(5);
    expect(stops.length).toBeLessThanOrEqual(FILES_MAX);
    const lines = stops.map(({ path }) => textOf(path).split('\n').length - 1);
    expect(lines.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(LINES_MAX);
  });

  it.each(stops.slice(1).map((stop, place) => [stop.path, stop, place] as const))(
    'the tour of ARCHITECTURE.md reaches %s from a file before it',
    (path, { word, from = undefined }, place) => {
      const before = stops[from === undefined ? place : from - 1]!.path;
      if (word === undefined) expect([before, path, leadsTo(before, path)]).toEqual([before, path, true]);
      else expect([word, hasWord(before, word), hasWord(path, word)]).toEqual([word, true, true]);
    },
  );
});

/** Paths in code font that begin at a top folder of the project; patterns and what the service makes itself left out. */
function pathsIn(text: string): string[] {
  const matches = [...text.matchAll(/`((?:apps|libs|test|docs|scripts|config)\/[\w./-]*\w)`/g)];
  return [...new Set(matches.map(([, path = '']) => path))];
}

const DOCUMENTS = ['.', 'docs', 'docs/adr'].flatMap((folder) =>
  readdirSync(join(project, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

it.each(DOCUMENTS)('%s names no file that is not there', (document) => {
  const text = textOf(document);
  const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, to = '']) =>
    join(dirname(document), to),
  );
  expect([...pathsIn(text), ...links].filter((path) => !existsSync(join(project, path)))).toEqual([]);
});

/** The anchors of a document: its own, and its headings as GitHub writes them in addresses. */
function anchorsIn(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([\w-]+)">/g)].map(([, id = '']) => id)];
}

it.each(DOCUMENTS)('%s links to no place in a document that is not there', (document) => {
  const broken = [...textOf(document).matchAll(/\]\(([^)#:]*)#([^)]*)\)/g)].filter(
    ([, to = '', anchor = '']) => {
      const path = to === '' ? document : join(dirname(document), to);
      return path.endsWith('.md') && !anchorsIn(textOf(path)).includes(anchor);
    },
  );
  expect(broken.map(([link]) => link)).toEqual([]);
});

it('the list of decisions has each page with its number and title', () => {
  const pages = DOCUMENTS.filter((path) => /^docs\/adr\/\d/.test(path)).sort();
  const entries = pages.map((path) => {
    const [, number, title] = /^# (\d+)\. (.*)$/m.exec(textOf(path))!;
    return `- ${number}. [${title}](${basename(path)})`;
  });
  const list = textOf('docs/adr/README.md').match(/^- \d+\. .*$/gm);
  expect(list).toEqual(entries);
});

/** Classes, interfaces, types, functions and constants of the product by name, with the files that export them. */
function exportsOf(): Map<string, string[]> {
  const files = ['apps', 'libs'].flatMap((top) =>
    readdirSync(join(project, top), { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?<!\.spec)\.ts$/.test(name) && !name.includes('node_modules'))
      .map((name) => `${top}/${name}`),
  );
  const filesByName = new Map<string, string[]>();
  for (const file of files) {
    const names = textOf(file).matchAll(
      /^export (?:abstract |async )?(?:class|interface|type|function\*?|const) (\w+)/gm,
    );
    for (const name of new Set([...names].map(([, name = '']) => name)))
      filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
  }
  return filesByName;
}

describe('the words', () => {
  const exported = exportsOf();
  const [, table = ''] = ARCHITECTURE.split(/^## The words$/m);
  const rows = [
    ...table.split(/^## /m)[0]!.matchAll(/^\| (?<word>[a-z][\w ]*?) *\|.*\| (?<names>`[^|]*) \|$/gm),
  ];

  it('the words are each exported by one file under the names that ARCHITECTURE.md gives', () => {
    const names = rows.flatMap(({ groups }) =>
      [...groups!['names']!.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    );
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name) => exported.get(name)?.length !== 1)).toEqual([]);
  });

  it('the words name a class, an interface or a type once in the whole repository', () => {
    const twice = [...exported].filter(([name, files]) => /^[A-Z][a-z]/.test(name) && files.length > 1);
    expect(twice).toEqual([]);
  });
});
