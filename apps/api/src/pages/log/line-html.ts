import { withReturns } from '@proctor/result-files';
import Anser from 'anser';
import { stripVTControlCharacters } from 'node:util';
import { markup } from '../layout/html';
import type { Html } from '../layout/html';

/** Characters of a line that a page shows; the whole line has an address of its own. */
export const SHOWN_LENGTH_MAX = 2_000;

const ESC = '\x1b';
const BEL = '\x07';
/** Everything that a terminal would obey, but for colours: texts for it (OSC 8 is a link), and other sequences. */
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
/** Changes no colour: what follows has those that there are. */
const GO_ON = `${ESC}[999m`;
/** What orders other characters, or is not seen: Trojan Source (CVE-2021-42574). */
const HIDDEN = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
const CONTROL = /[^\P{Cc}\t]/gu;
const URL = /\bhttps?:\/\/[^\s<>"'`\p{Cc}\u00a0\u2000-\u206f]{1,500}/gu;
const HIDDEN_OR_URL = new RegExp(`${HIDDEN.source}|${URL.source}`, 'gu');

/** What Anser keeps from one text to the next. */
interface AnserState {
  decorations: string[];
}

/** Makes HTML of the lines of a log, in order: colours go on in the next line. */
export class LineHtml {
  private readonly colours = new Anser() as Anser & AnserState;
  private isColoured = false;

  /** Goes on as this one would. */
  copy(): LineHtml {
    const copy = new LineHtml();
    Object.assign(copy.colours, this.colours, { decorations: [...this.colours.decorations] });
    copy.isColoured = this.isColoured;
    return copy;
  }

  /** Passes a line over that is not shown. */
  pass(text: string): void {
    if (this.isColoured || text.includes(ESC)) this.of(text);
  }

  /** @param text without its newline; what comes after SHOWN_LENGTH_MAX is left out */
  of(text: string): Html {
    const plain = overwritten(text).slice(0, SHOWN_LENGTH_MAX).toWellFormed().replace(COMMANDS, '');
    this.isColoured ||= COLOURS.test(plain);
    if (!this.isColoured) return marked(visible(plain));
    return markup`${this.colourHtml(plain)}`;
  }

  private colourHtml(text: string): Html[] {
    const options = { json: true, use_classes: true, remove_empty: true };
    const parts = this.colours.ansiToJson(GO_ON + text + GO_ON + '.', options);
    // It adds what there is already: a log that is bold in each line would make it slower with each.
    this.colours.decorations = [...new Set(this.colours.decorations)];
    // The full stop has the colours that go on.
    this.isColoured = classesOf(parts.pop()!) !== '';
    return parts.map((part) => {
      const content = marked(visible(part.content));
      const classes = classesOf(part);
      return classes === '' ? content : markup`<span class="${classes}">${content}</span>`;
    });
  }
}

/** What a progress bar overwrote is left out. Colours behind the last carriage return overwrite nothing. */
function overwritten(text: string): string {
  const parts = withReturns(text).split('\r');
  const shown = parts.findLastIndex((part) => stripVTControlCharacters(part) !== '');
  return parts.slice(Math.max(0, shown)).join('');
}

/** Control characters are shown as such. */
export function visible(text: string): string {
  return text.replace(CONTROL, '\ufffd');
}

/** Links http and https; names characters that would be invisible. */
function marked(text: string): Html {
  const parts: Html[] = [];
  let from = 0;
  for (const found of text.matchAll(HIDDEN_OR_URL)) {
    parts.push(markup`${text.slice(from, found.index)}`);
    const [part] = found;
    from = found.index + part.length;
    if (part.length > 2) parts.push(link(part));
    else parts.push(markup`<span class="hidden-character">U+${codeOf(part)}</span>`);
  }
  return parts.length === 0 ? markup`${text}` : markup`${parts}${text.slice(from)}`;
}

function link(found: string): Html {
  const url = found.replace(/(?<![).,:;!?\]])[).,:;!?\]]+$/, '');
  const rest = found.slice(url.length);
  return markup`<a href="${url}" rel="nofollow noopener noreferrer">${url}</a>${rest}`;
}

function codeOf(character: string): string {
  return character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
}

const NAMED = /^ansi-(?:bright-)?(?:black|red|green|yellow|blue|magenta|cyan|white)$/;
const DECORATIONS = ['bold', 'dim', 'italic', 'underline', 'strikethrough'];

/** Colours of a larger palette are not shown: the text keeps its own. */
function classesOf({ fg, bg, decorations }: Anser.AnserJsonEntry): string {
  const colours = [
    ...(NAMED.test(fg ?? '') ? [`fg-${fg}`] : []),
    ...(NAMED.test(bg ?? '') ? [`bg-${bg}`] : []),
  ];
  const known = DECORATIONS.filter((each) => (decorations as string[]).includes(each));
  return [...colours, ...known.map((each) => `ansi-${each}`)].join(' ');
}
