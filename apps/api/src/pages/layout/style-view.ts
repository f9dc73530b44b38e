import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StripEntry } from '@proctor/database';
import { ASSETS_PATH } from './assets';
import { bars, lines } from './chart';
import { Forms } from './forms';
import { Html } from './html';
import { secondsInWords } from './times';

/** A custom property of the style sheet. */
interface Token {
  name: string;
  value: string;
}

/** Tokens that belong together, with the comment above them. */
interface TokenGroup {
  words: string;
  tokens: Token[];
}

/** The tokens of the style sheet, as it has and describes them. */
export function tokenGroups(sheet: string): TokenGroup[] {
  const [, block] = /:root \{([^}]*)\}/.exec(sheet)!;
  return block!.split('/* ').flatMap((part) => {
    const [words, rest = ''] = part.split(' */');
    const tokens = [...rest.matchAll(/^ +--([\w-]+):\s([^;]+);/gm)].map(([, name, value]) => ({
      name: name!,
      value: value!.replace(/\s+/g, ' ').trim(),
    }));
    return tokens.length > 0 ? [{ words: words!.replace(/\s+/g, ' '), tokens }] : [];
  });
}

const DAYS = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];

/** The page of the design system: tokens, and components with examples. */
export function styleView() {
  return {
    groups: tokenGroups(readFileSync(join(ASSETS_PATH, 'style.css'), 'utf8')),
    bars: bars({
      label: 'An example of bars',
      times: DAYS,
      unknown: 'no run ended',
      size: [720, 140],
      series: [
        { name: 'fail', className: 'fail', values: [2, null, 1, 4] },
        { name: 'pass', className: 'pass', values: [9, null, 12, 7] },
      ],
    }),
    lines: lines({
      label: 'An example of lines',
      times: DAYS,
      unit: ' %',
      top: 100,
      size: [720, 140],
      series: [
        { name: 'within a day', className: 'first', values: [98, 97, 99, 100] },
        { name: 'within an hour', className: 'second', values: [55, 61, 48, 70] },
      ],
    }),
    strip: stripExample(),
    outcomes: { passed: 18, failed: 3, broken: 1, untested: 0, running: 2, waiting: 4 },
    durations: [0.2, 12, 65, 1_862, 7_380].map(secondsInWords),
    at: new Date('2026-11-20T15:40:51Z'),
    fields: fieldExamples(),
  };
}

function stripExample(): StripEntry[] {
  const verdicts = ['pass', 'pass', 'neutral', 'pass', 'tmpfail', 'pass', 'fail', 'fail'] as const;
  return verdicts.map((verdict, index) => ({ verdict, isNewVersion: index === 3, isPinned: index === 5 }));
}

/** Fields of a form that was refused. No field gets the focus: the page does not begin at its example. */
function fieldExamples(): Html[] {
  const action = '/style/';
  const values = new Map([
    ['name', 'laptop'],
    ['days', 'many'],
  ]);
  const mistakes = new Map([['days', 'must be a number of days']]);
  const form = new Forms(null, { action, values, mistakes, detail: '' }).form(action, { start: 'example' });
  return [
    form.text('name', 'Name', { hint: 'For example, the machine that uses it.' }),
    form.text('days', 'Valid for', { hint: 'Days.' }),
    form.select('scope', 'What it may do', ['everything', 'read only']),
    form.boxes('archs', 'Architectures', ['amd64', 'arm64']),
  ].map(({ text }) => new Html(text.replace(' autofocus', '')));
}
