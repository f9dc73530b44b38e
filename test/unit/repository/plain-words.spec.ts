import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';

const project = join(__dirname, '../../..');
const [, vocabulary = ''] =
  /^## The verbs$(.*?)^## /ms.exec(readFileSync(join(project, 'ARCHITECTURE.md'), 'utf8')) ?? [];

/** The words of the table's last column. */
const REFUSED_VERBS = new Set(
  [...vocabulary.matchAll(/^\|.*\|(?<refused>[^|]*)\|$/gm)].flatMap(({ groups }) =>
    [...groups!['refused']!.matchAll(/`(\w+)`/g)].map(([, verb]) => verb!),
  ),
);
const VERBS = [...vocabulary.matchAll(/^\| (?<verbs>[a-z, ]+?) *\|/gm)]
  .flatMap(({ groups }) => groups!['verbs']!.split(', '))
  .slice(1);

const REFUSED_WORDS = /^Words that are in no file: (?<words>.*)\.$/m
  .exec(vocabulary)!
  .groups!['words']!.split(', ');
/** "No more than" is a limit. */
const WORDS = new RegExp(
  String.raw`\b(?:${REFUSED_WORDS.join('|')})\b(?!(?<=\bmore) (?:\w+ ){0,2}than)`,
  'gi',
);

/** Words and phrases that no page uses: another one is the name of the thing, or is plainer. */
const WORDS_ON_NO_PAGE = /^Words that are on no page: (?<words>.*)\.$/m
  .exec(vocabulary)!
  .groups!['words']!.split(', ');
const ON_NO_PAGE = new RegExp(String.raw`\b(?:${WORDS_ON_NO_PAGE.join('|')})\b`, 'gi');
/** Templates, the code of the pages, and the code that explains to people why a run waits or has failed. */
const PAGE_FILES =
  /^(?:apps\/api\/src\/(?:pages\/.*|runs\/(?:triage|trigger-plan|obstacle|removed-files).*|workers\/idle-reasons)|libs\/dispatch\/src\/(?:explain|why-[a-z-]+))(?<!\.spec)\.(?:ts|eta)$/;

const IRREGULAR = [
  'told',
  'said',
  'heard',
  'known',
  'found',
  'kept',
  'seen',
  'given',
  'taken',
  'held',
  'lost',
  'begun',
  'shown',
  'meant',
  'left',
];
/** Participles that no local variable, parameter or private field may have as its name. */
const REFUSED_LOCALS = new Set([
  ...IRREGULAR,
  ...['asked', 'changed', 'chosen', 'counted', 'done', 'drawn', 'ended', 'failed', 'finished', 'gone'],
  ...['judged', 'made', 'named', 'refused', 'sent', 'sought', 'wanted', 'written'],
]);
const MAY_HAVE_LOCALS = new RegExp(
  String.raw`(?:[()[{,:.*]|\b(?:const|let|function|private|readonly))\s*(?:${[...REFUSED_LOCALS].join('|')})\b`,
);

const NO_PARTICIPLES = ['need', 'feed', 'seed', 'embed', 'speed', 'exceed'];
const isParticiple = (name: string): boolean =>
  IRREGULAR.includes(name) || (/^[a-z]+ed$/.test(name) && !NO_PARTICIPLES.includes(name));

/** What this file and the table name, text that other programs wrote, and what is written from the commands. */
const EXEMPT =
  /^(?:test\/unit\/repository\/plain-words\.spec\.ts|test\/unit\/failing-logs\/.*|docs\/command-line\.md|LICENSE)$/;

/** A user of every Debian system, and a column of the schema that deployments have. */
const NAMES_OF_OTHERS = /'nobody'|(?:irc|su|grep) nobody\b|\btold_?from\b/gi;

const files = execFileSync('git', ['ls-files'], { cwd: project, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.(?:ts|mjs|cjs|js|eta|md|sh|py|yaml|yml|css)$/.test(path) && !EXEMPT.test(path))
  .map((path) => ({ path, text: textOf(path) }));

function textOf(path: string): string {
  const text = readFileSync(join(project, path), 'utf8');
  return (path === 'ARCHITECTURE.md' ? text.replace(vocabulary, '') : text).replace(NAMES_OF_OTHERS, '');
}

/** An app, a library, a folder of the tests or of the project; `docs/adr`; the files beside them. */
function roomOf(path: string): string {
  const [top = '', below = '', more] = path.split('/');
  if (below === '') return 'the top folder';
  return more === undefined ? top : `${top}/${below}`;
}

const KEYWORDS = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'function',
  'return',
  'constructor',
  'super',
]);

/** The names of exported functions and of methods, as prettier lays them out. The base class of an `override` chose its name. */
function namesIn(text: string): string[] {
  const patterns = [
    /^export (?:async )?function\*? ([a-z]\w*)/gm,
    /^export const ([a-z]\w*) = (?:async )?(?:<.*>)?\(/gm,
    /^ {2}(?:(?:public|protected|private|static|async|abstract|get|set) )*\*?([a-z]\w*)\??(?:<.*>)?\((?:.*\)(?:: .*)? \{|.*\): .*;|\n(?: {4}.*\n)+ {2}\)(?:: .*)?(?: \{|;))$/gm,
  ];
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name!))
    .filter((name) => !KEYWORDS.has(name));
}

/** The names that a file gives itself. A field that is taken apart keeps its name: others may have chosen it. */
function localNamesIn(path: string, text: string): string[] {
  if (!MAY_HAVE_LOCALS.test(text)) return [];
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isOwnName(node) && REFUSED_LOCALS.has(node.text)) names.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return names;
}

function isOwnName(node: ts.Node): node is ts.Identifier {
  const { parent } = node;
  if (!ts.isIdentifier(node) || (parent as ts.NamedDeclaration).name !== node) return false;
  if (ts.isBindingElement(parent))
    return !ts.isObjectBindingPattern(parent.parent) || !!(parent.propertyName ?? parent.dotDotDotToken);
  if (ts.isPropertyDeclaration(parent))
    return !!parent.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
  return ts.isVariableDeclaration(parent) || ts.isParameter(parent) || ts.isFunctionDeclaration(parent);
}

const firstWordOf = (name: string): string => /^[a-z]+/.exec(name)![0];

/** Words of a text as it reads without its line breaks: `toldOf` is `told Of`, a comment goes on in its next line. */
const proseOf = (text: string): string =>
  text
    .replace(/\n\s*(?:\/\/|\*|#|>)?\s*/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ');

/** A comment that has no noun and no verb: the reader has to guess what it describes. */
const HEADLESS = /\/\*\*(?:\n\s*\*)? (?:Of|By(?! default)|For|But for|Beside|Those|The same)\b/g;

/** What a page may show of a file: the text and the labels of a template, and strings with several words or a capital letter. */
function textsIn(path: string, text: string): string[] {
  if (path.endsWith('.ts')) return stringsIn(path, text).filter(isForPeople);
  const labels = (tag: string): string =>
    [...tag.matchAll(/(?:aria-label|title|placeholder|alt)="([^"]*)"/g), ['']]
      .map(([, label = '']) => ` ${label} `)
      .join('');
  const code = [...text.matchAll(/<%[\s\S]*?%>/g)].map(([part]) => part).join('\n');
  const strings = [...code.matchAll(/'([^'\n]*)'|`([^`]*)`/g)].map(
    ([, quoted, template]) => quoted ?? template!.replace(/\$\{[^}]*\}/g, ' '),
  );
  const markup = text.replace(/<%[\s\S]*?%>/g, ' ').replace(/<[^>]*>/g, labels);
  return [markup, ...strings.filter(isForPeople).map((string) => string.replace(/<[^>]*>/g, labels))];
}

const isForPeople = (string: string): boolean => /[a-z] [a-z]|^[A-Z]/.test(string);

/** The literals of a TypeScript file, without what is put into them and without tags. */
function stringsIn(path: string, text: string): string[] {
  const strings: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) strings.push(node.text);
    else if (ts.isTemplateExpression(node))
      strings.push(
        [node.head, ...node.templateSpans.map(({ literal }) => literal)].map((part) => part.text).join(' '),
      );
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return strings.map((string) => string.replace(/<[^>]*>/g, ' '));
}

function breachesOnPages({ path, text }: { path: string; text: string }): string[] {
  return textsIn(path, text)
    .flatMap((shown) => [...shown.matchAll(ON_NO_PAGE)])
    .map(([word]) => `${path}: "${word}"`);
}

function breachesOf({ path, text }: { path: string; text: string }): string[] {
  const isProduct = /^(?:apps|libs)\/.*(?<!\.spec)\.ts$/.test(path);
  const names = isProduct ? namesIn(text) : [];
  return [
    ...[...text.matchAll(HEADLESS)].map(([beginning]) => `"${beginning}"`),
    ...names.filter((name) => REFUSED_VERBS.has(firstWordOf(name)) || isParticiple(name)),
    ...(path.endsWith('.ts') ? localNamesIn(path, text).map((name) => `local ${name}`) : []),
    ...[...proseOf(text).matchAll(WORDS)].map(([word]) => `"${word}"`),
  ].map((breach) => `${path}: ${breach}`);
}

const rooms = new Map<string, string[]>();
for (const file of files) {
  const room = roomOf(file.path);
  rooms.set(room, [...(rooms.get(room) ?? []), ...breachesOf(file)]);
}

it('the vocabulary has at most 60 verbs, and none of them is refused', () => {
  expect(VERBS.length).toBeGreaterThan(50);
  expect(VERBS.length).toBeLessThanOrEqual(60);
  expect(new Set(VERBS).size).toBe(VERBS.length);
  expect(VERBS.filter((verb) => REFUSED_VERBS.has(verb))).toEqual([]);
});

it.each([...rooms])('names and sentences of %s use plain words', (_room, breaches) => {
  expect(breaches).toEqual([]);
});

it('pages use one word for each thing', () => {
  expect(files.filter(({ path }) => PAGE_FILES.test(path)).flatMap(breachesOnPages)).toEqual([]);
});

it('words that are on no page are found in texts and labels of templates and in strings, and not in code', () => {
  const template = `<% queued.forEach((begun) => { %><b class="queued" title="It is queued">asked for</b><%= \`\${begun} left out\` %><% }) %>`;
  expect(breachesOnPages({ path: 'a.eta', text: template })).toEqual(
    ['queued', 'asked for', 'left out'].map((word) => `a.eta: "${word}"`),
  );
  const code = "const begun = status('queued', `It is ${left} under way`, 'It is not known'); // asked for\n";
  expect(breachesOnPages({ path: 'a.ts', text: code })).toEqual(
    ['under way', 'not known'].map((word) => `a.ts: "${word}"`),
  );
});

it('breaches are found', () => {
  const text = `/** Of no noun. */\n/** Nothing more than this is told to any\n * more callers. */\nexport class A {\n  told(): void {\n  }\n\n  async getKey(\n    a: string,\n  ): Promise<void> {\n    b();\n  }\n}\n`;
  expect(breachesOf({ path: 'libs/a/src/a.ts', text }).map((breach) => breach.split(': ')[1])).toEqual([
    '"/** Of"',
    'told',
    'getKey',
    '"told"',
    '"any more"',
    '"told"',
  ]);
});

it('participles as local names are found, and fields that are taken apart are not', () => {
  const text = `const found = (asked: string, { known, sent: given, ...left }: A) => [known];
let [, seen, keptRuns] = found('x');
class B {
  made = 1;
  private kept = 2;
  constructor(private readonly held: C) {}
}
function said() {}
`;
  expect(localNamesIn('a.ts', text)).toEqual([
    ...['found', 'asked', 'given', 'left', 'seen', 'kept', 'held', 'said'],
  ]);
});
