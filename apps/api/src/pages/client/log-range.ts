import { land } from './log-landing';

/** The numbers of at most this many lines are marked, when a browser cannot mark their text. */
const CHOSEN_MAX = 1_000;

interface LineRange {
  first: number;
  last: number;
}

/** Reads `#L12` or `#L12-L20`; null for any other fragment. */
export function rangeOf(hash: string): LineRange | null {
  const [, one, other = one] = /^#L(\d+)(?:-L(\d+))?$/.exec(hash) ?? [];
  if (one === undefined) return null;
  const [first, last] = [Number(one), Number(other)];
  return { first: Math.min(first, last), last: Math.max(first, last) };
}

/** The range from the line that was selected before to another line. */
export function extendRange(hash: string, line: number): string {
  const before = rangeOf(hash);
  if (!before) return `#L${line}`;
  const start = line < before.first ? before.last : before.first;
  return start === line ? `#L${line}` : `#L${Math.min(start, line)}-L${Math.max(start, line)}`;
}

/** The lines that the reader has chosen. Their address is that of the page. */
export interface LineSelection {
  /** The first of them; null when there are none. */
  first(): number | null;
  /** Chooses a line instead of the ones before, and scrolls to it. The way back does not lead through such steps. */
  step(line: number): void;
  /** Chooses the lines in the address, and scrolls to them. */
  open(): void;
}

/**
 * Adds ranges of lines: the reader selects one with Shift and a click, or with a button and a click, and can copy its
 * address. The page marks it and scrolls to it.
 * @param moved is called when other lines are chosen
 */
export function offerRanges(lines: HTMLElement, moved: () => void): LineSelection {
  const bar = copyBar(lines);
  let selection: LineRange | null = null;
  const choose = (range: LineRange | null): void => {
    selection = range;
    mark(lines, range);
    bar.update(range);
    moved();
  };
  const go = (): void => {
    choose(rangeOf(location.hash));
    if (selection) see(selection);
  };
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLElement>('a[href^="#L"]');
    if (!link || link.closest('.steps') || event.ctrlKey || event.metaKey || event.altKey) return;
    const isNumber = link.matches('.lines > [id]');
    if (event.shiftKey && !isNumber) return;
    event.preventDefault();
    const isRange = isNumber && (event.shiftKey || bar.isForRange());
    if (isRange) getSelection()?.removeAllRanges();
    const hash = link.getAttribute('href')!;
    // A browser that follows the link itself scrolls before the heights around the line are known.
    history.pushState(null, '', isRange ? extendRange(location.hash, Number(link.id.slice(1))) : hash);
    // Who chooses a line sees it already.
    if (isNumber) return choose(rangeOf(location.hash));
    go();
    document.getElementById(hash.slice(1))?.focus({ preventScroll: true });
  });
  addEventListener('hashchange', go);
  return {
    first: () => selection?.first ?? null,
    step(line) {
      choose({ first: line, last: line });
      see({ first: line, last: line });
      history.replaceState(null, '', `#L${line}`);
    },
    open: go,
  };
}

/** Scrolls to a range, or opens the page of the log that has it. */
function see({ first }: LineRange): void {
  const anchor = document.getElementById(`L${first}`);
  if (anchor) {
    land(anchor);
    return;
  }
  const url = new URL(location.href);
  if (url.searchParams.get('from') === String(first)) return;
  url.searchParams.set('from', String(first));
  location.replace(url);
}

function mark(lines: HTMLElement, range: LineRange | null): void {
  for (const each of lines.querySelectorAll('.chosen')) each.classList.remove('chosen');
  CSS.highlights?.delete('chosen');
  if (!range) return;
  const last = Math.min(range.last, range.first + CHOSEN_MAX);
  const texts: Range[] = [];
  for (let line = range.first; line <= last; line += 1) {
    const anchor = document.getElementById(`L${line}`);
    anchor?.classList.add('chosen');
    if (anchor) texts.push(textOf(anchor));
  }
  CSS.highlights?.set('chosen', new Highlight(...texts));
}

/** The text of a line: from its number to the next number. */
function textOf(anchor: Element): Range {
  const range = document.createRange();
  range.setStartAfter(anchor);
  let next = anchor.nextElementSibling;
  while (next && next.id === '') next = next.nextElementSibling;
  if (next) range.setEndBefore(next);
  else range.setEndAfter(anchor.parentElement!.lastChild!);
  return range;
}

interface CopyBar {
  update(range: LineRange | null): void;
  /** Whether the next click on a number ends a range. */
  isForRange(): boolean;
}

/** A bar that shows the selected lines and copies their address. The address names the attempt and a page with the lines. */
function copyBar(lines: HTMLElement): CopyBar {
  const [bar, text] = [document.createElement('p'), document.createElement('span')];
  const [copy, more] = [document.createElement('button'), document.createElement('button')];
  copy.type = more.type = 'button';
  bar.className = 'chosen-lines';
  text.setAttribute('role', 'status');
  bar.hidden = true;
  more.textContent = 'Up to …';
  more.title = 'Select the lines up to the next line number that you click';
  more.addEventListener('click', () => {
    more.setAttribute('aria-pressed', String(more.getAttribute('aria-pressed') !== 'true'));
  });
  copy.addEventListener('click', () => {
    const range = rangeOf(location.hash);
    if (!range) return;
    const url = new URL(`${lines.dataset.page}&from=${range.first}`, location.href);
    url.hash = location.hash;
    void navigator.clipboard.writeText(url.href).then(
      () => (copy.textContent = 'Copied'),
      () => (copy.textContent = 'The browser does not allow copying'),
    );
  });
  bar.append(text, more, copy);
  document.body.append(bar);
  return {
    isForRange: () => more.getAttribute('aria-pressed') === 'true',
    update(range) {
      bar.hidden = range === null;
      more.setAttribute('aria-pressed', 'false');
      // Browsers allow no copying without encryption; the reader can use the address bar.
      copy.hidden = !('clipboard' in navigator);
      copy.textContent = 'Copy link';
      if (range)
        text.textContent =
          range.first === range.last ? `Line ${range.first}` : `Lines ${range.first} to ${range.last}`;
    },
  };
}
