/** Characters of a line that are shown; the log that is kept has them all. */
const LINE_LENGTH_MAX = 2_000;
/** Characters of an unfinished line that are remembered. */
const OPEN_LENGTH_MAX = 64 * 1024;
const [ESC, BEL] = ['\x1b', '\x07'];
/** What a terminal would obey; colours come with the log that is kept. */
const COMMANDS = new RegExp(
  String.raw`${ESC}\[[0-9;?]*[A-Za-z]|${ESC}\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\)`,
  'g',
);
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
const CONTROL = /[^\P{Cc}\t]/gu;

/** Makes of a live log, which comes in pieces, the lines that are shown. */
export class LiveText {
  private open = '';

  /** @returns the lines that this ends, each with its newline, and what there is of the next one */
  add(text: string): { lines: string[]; open: string } {
    const lines = (this.open + text).split('\n');
    const last = lines.pop()!;
    // Of a bar that overwrites itself the end is what counts, of an endless line the beginning.
    const overwritten = last.replace(/\r+$/, '').lastIndexOf('\r');
    this.open = last.slice(Math.max(0, overwritten)).slice(0, OPEN_LENGTH_MAX);
    return { lines: lines.map((line) => `${shown(line)}\n`), open: shown(this.open) };
  }
}

function shown(line: string): string {
  const end = line.replace(/\r+$/, '');
  const text = end.slice(end.lastIndexOf('\r') + 1).replace(COMMANDS, '');
  const cut = text.length > LINE_LENGTH_MAX ? `${text.slice(0, LINE_LENGTH_MAX)} …` : text;
  return cut
    .replace(TURNS, (found) => `[U+${found.charCodeAt(0).toString(16).toUpperCase()}]`)
    .replace(CONTROL, '\ufffd');
}
