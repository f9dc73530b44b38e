import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ASSETS_PATH } from './assets';

const sheet = readFileSync(join(ASSETS_PATH, 'style.css'), 'utf8');
const [tokens] = /:root \{[^}]*\}/.exec(sheet)!;
const rules = sheet.replace(tokens, '');
const SCHEMES = ['light', 'dark'] as const;

/** The declarations of these properties, outside of the tokens. */
function declarations(property: RegExp): string[] {
  const all = rules.matchAll(/^ +([a-z-]+):\s+([^;{}]+);/gm);
  return [...all].filter(([, name]) => property.test(name!)).map(([, name, value]) => `${name}: ${value}`);
}

/** A token's colour by day and by night. */
function colour(token: string, scheme: (typeof SCHEMES)[number]): string {
  const [, light, dark] = new RegExp(`--${token}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(tokens)!;
  return scheme === 'light' ? light! : dark!;
}

/** Relative luminance, as WCAG defines it. */
function luminance(hex: string): number {
  const channels = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
  const [red, green, blue] = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

/** Pairs of tokens whose contrast is lower than it must be. */
function weakPairs(fronts: string[], backs: string[], least: number): string[] {
  const pairs = fronts.flatMap((front) => backs.map((back) => [front, back] as const));
  return SCHEMES.flatMap((scheme) =>
    pairs.flatMap(([front, back]) => {
      const ratio = contrast(colour(front, scheme), colour(back, scheme));
      return ratio < least ? [`${scheme}: ${front} on ${back} ${ratio.toFixed(2)}`] : [];
    }),
  );
}

const SURFACES = ['back', 'raised', 'panel', 'hover'];
const GROUNDS = ['notice', 'pass-back', 'fail-back', 'tmpfail-back', 'running-back'];
const STATES = ['pass', 'fail', 'tmpfail', 'neutral', 'running', 'outline'];

it('each colour of a rule is a token, or one of the colours of the reader', () => {
  expect(rules).not.toMatch(/#[0-9a-f]{3,8}\b(?![^{}]*\{)|rgba?\(|hsla?\(|\boklch\(/i);
  const raw = declarations(/color$|^background$|^fill$|^stroke$/).filter(
    (each) => !/var\(--|inherit|currentcolor|transparent|none|Canvas|Button|Mark|Highlight/.test(each),
  );
  expect(raw).toEqual([]);
});

it.each([
  [
    'sizes of text',
    /^font(-size)?$/,
    /^font(-size)?: (var\(--text-\w+\)|inherit)( \/ [\d.]+ var\(--\w+\))?$/,
  ],
  ['radii', /radius$/, /: var\(--radius\)$/],
  ['shadows', /^box-shadow$/, /: (var\(--shadow\)|inset .*var\(--[\w-]+\))$/],
  [
    'spaces',
    /^(margin|padding|gap)/,
    /^[a-z-]+: ((0|auto|[123]px|0\.15rem|var\(--[\w-]+\)|calc\(.*var\(--.*\))\s?)+$/,
  ],
])('the %s come from tokens', (_, property, form) => {
  const all = declarations(property);
  expect(all.length).toBeGreaterThan(0);
  expect(all.filter((each) => !form.test(each))).toEqual([]);
});

it('text can be read on each surface, by day and by night', () => {
  expect(weakPairs(['text', 'dim', 'link'], [...SURFACES, ...GROUNDS], 4.5)).toEqual([]);
  expect(weakPairs(STATES, SURFACES, 4.5)).toEqual([]);
  for (const state of ['pass', 'fail', 'tmpfail', 'running'])
    expect(weakPairs([state], [`${state}-back`], 4.5)).toEqual([]);
  expect(weakPairs(['on-accent'], ['accent'], 4.5)).toEqual([]);
  expect(weakPairs(['danger'], SURFACES, 4.5)).toEqual([]);
});

it('links differ from the text around them, and drawings, edges and the focus from what they lie on', () => {
  expect(weakPairs(['link'], ['text'], 3)).toEqual([]);
  const cells = ['pass-cell', 'fail-cell', 'tmpfail-cell', 'neutral-cell', 'running-cell'];
  expect(weakPairs([...cells, 'strong-line', 'focus', 'notice-line'], ['back', 'raised'], 3)).toEqual([]);
});

/** The words in the strings and attributes of what writes HTML: templates, views and client scripts. */
function wordsInStrings(): Set<string> {
  const pages = join(ASSETS_PATH, '..');
  const files = readdirSync(pages, { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((file) => /\.(eta|ts)$/.test(file) && !file.endsWith('.spec.ts'))
    .map((file) => readFileSync(join(pages, file), 'utf8'));
  const strings = texts.flatMap((text) => text.match(/"[^"\n]*"|'[^'\n]*'|`[^`]*`/g) ?? []);
  const attributes = texts.flatMap((text) => text.match(/class="[^"]*"/g) ?? []);
  return new Set([...strings, ...attributes].flatMap((string) => string.match(/[\w-]+/g) ?? []));
}

it('each class of a rule is written by a template, a view or a client script', () => {
  const selectors = sheet.replace(/\/\*[^]*?\*\//g, '').match(/[^{};]+(?=\{)/g)!;
  const classes = new Set(selectors.join().match(/(?<=\.)[a-z][\w-]*/g));
  const words = wordsInStrings();
  // Those of the colours of a log come from its library.
  const unused = [...classes].filter((name) => !words.has(name) && !/^(fg-)?ansi-/.test(name));
  expect(classes.size).toBeGreaterThan(100);
  expect(unused).toEqual([]);
});
