import { withReturns } from '@proctor/result-files';
import Anser from 'anser';
import { stripVTControlCharacters } from 'node:util';
import { markup } from '../layout/html';
import type { Html } from '../layout/html';

/** A page shows this many characters of a line; the whole line has its own address. */
export const SHOWN_LENGTH_MAX = 2_000;

const ESC = '\x1b';
const BEL = '\x07';
/** All control sequences of terminals except colours, for example OSC 8, which is a link. */
const COMMANDS = new RegExp(
  [
    String.raw`${ESC}\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\)?`,
    String.raw`${ESC}[PX^_][^${ESC}]*(?:${ESC}\\)?`,
    String.raw`${ESC}\[[0-9;:?<=>]*[ -/]*[@-ln-~]`,
    String.raw`${ESC}[()*+#%][\s\S]?`,
    String.raw`${ESC}[^[\]PX^_]`,
  ].join('|'),
  'g',
);
const COLOURS = new RegExp(String.raw`${ESC}\[[0-9;:]*m`);
/** A colour sequence without effect: the text after it keeps the current colours. */
const GO_ON = `${ESC}[999m`;
/** Invisible characters, and characters that reorder text: Trojan Source (CVE-2021-42574). */
const HIDDEN = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
const CONTROL = /[^\P{Cc}\t]/gu;
const URL = /\bhttps?:\/\/[^\s<>"'`\p{Cc}\u00a0\u2000-\u206f]{1,500}/gu;
const HIDDEN_OR_URL = new RegExp(`${HIDDEN.source}|${URL.source}`, 'gu');

/** State that Anser keeps between texts. */
interface AnserState {
  decorations: string[];
}

/** Converts the lines of a log to HTML, in order, because colours continue in the next line. */
export class LineHtml {
  private readonly colours = new Anser() as Anser & AnserState;
  private isColoured = false;

  /** A copy with the same current colours. */
  copy(): LineHtml {
    const copy = new LineHtml();
    Object.assign(copy.colours, this.colours, { decorations: [...this.colours.decorations] });
    copy.isColoured = this.isColoured;
    return copy;
  }

  /** Reads the colours of a line that is not shown. */
  pass(text: string): void {
    if (this.isColoured || text.includes(ESC)) this.of(text);
  }

  /**
   * Converts a line.
   * @param text without the newline; only the first SHOWN_LENGTH_MAX characters are used
   * @param pattern of text to mark; null for none
   */
  of(text: string, pattern: RegExp | null = null): Html {
    const plain = overwritten(text).slice(0, SHOWN_LENGTH_MAX).toWellFormed().replace(COMMANDS, '');
    this.isColoured ||= COLOURS.test(plain);
    if (!this.isColoured) return marked(visible(plain), pattern);
    return markup`${this.colourHtml(plain, pattern)}`;
  }

  private colourHtml(text: string, pattern: RegExp | null): Html[] {
    const options = { json: true, use_classes: true, remove_empty: true };
    const parts = this.colours.ansiToJson(GO_ON + text + GO_ON + '.', options);
    // Anser adds decorations again that it already has. Without this, a log with bold lines gets slower with each line.
    this.colours.decorations = [...new Set(this.colours.decorations)];
    // The full stop has the colours that go on.
    this.isColoured = classesOf(parts.pop()!) !== '';
    return parts.map((part) => {
      const content = marked(visible(part.content), pattern);
      const classes = classesOf(part);
      return classes === '' ? content : markup`<span class="${classes}">${content}</span>`;
    });
  }
}

/** Leaves out text that a progress bar has overwritten. Colours after the last carriage return overwrite nothing. */
function overwritten(text: string): string {
  const parts = withReturns(text).split('\r');
  const visibleFrom = parts.findLastIndex((part) => stripVTControlCharacters(part) !== '');
  return parts.slice(Math.max(0, visibleFrom)).join('');
}

/** Makes control characters visible. */
export function visible(text: string): string {
  return text.replace(CONTROL, '\ufffd');
}

/** Adds links for http and https, marks what a search has hit, and replaces invisible characters by their names. */
function marked(text: string, pattern: RegExp | null): Html {
  const parts: Html[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN_OR_URL)) {
    parts.push(withMarks(text.slice(from, match.index), pattern));
    const [part] = match;
    from = match.index + part.length;
    if (part.length > 2) parts.push(link(part, pattern));
    else parts.push(markup`<span class="hidden-character">U+${codeOf(part)}</span>`);
  }
  const rest = withMarks(text.slice(from), pattern);
  return parts.length === 0 ? rest : markup`${parts}${rest}`;
}

/** Matches a text as the search does: upper and lower case are the same. */
export function searchPattern(text: string): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'gi');
}

function withMarks(text: string, pattern: RegExp | null): Html {
  if (!pattern) return markup`${text}`;
  const parts: Html[] = [];
  let from = 0;
  for (const { 0: hit, index } of text.matchAll(pattern)) {
    parts.push(markup`${text.slice(from, index)}<mark class="found">${hit}</mark>`);
    from = index + hit.length;
  }
  return parts.length === 0 ? markup`${text}` : markup`${parts}${text.slice(from)}`;
}

function link(text: string, pattern: RegExp | null): Html {
  const url = text.replace(/(?<![).,:;!?\]])[).,:;!?\]]+$/, '');
  const rest = text.slice(url.length);
  return markup`<a href="${url}" rel="nofollow noopener noreferrer">${withMarks(url, pattern)}</a>${withMarks(rest, pattern)}`;
}

function codeOf(character: string): string {
  return character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
}

const NAMED = /^ansi-(?:bright-)?(?:black|red|green|yellow|blue|magenta|cyan|white)$/;
const DECORATIONS = ['bold', 'dim', 'italic', 'underline', 'strikethrough'];

/** Colours of larger palettes are ignored: the text keeps its normal colour. */
function classesOf({ fg, bg, decorations }: Anser.AnserJsonEntry): string {
  const colours = [
    ...(NAMED.test(fg ?? '') ? [`fg-${fg}`] : []),
    ...(NAMED.test(bg ?? '') ? [`bg-${bg}`] : []),
  ];
  const names = DECORATIONS.filter((each) => (decorations as string[]).includes(each));
  return [...colours, ...names.map((each) => `ansi-${each}`)].join(' ');
}
