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

/** Adds ranges of lines: the reader selects one with Shift and a click and can copy its address. The page marks it and scrolls to it. */
export function offerRanges(lines: HTMLElement): void {
  const bar = copyBar(lines);
  const show = (): void => {
    const range = rangeOf(location.hash);
    mark(lines, range);
    bar.show(range);
  };
  lines.addEventListener('click', (event) => {
    const anchor = (event.target as Element).closest<HTMLElement>('.lines > a[id]');
    if (!anchor || !event.shiftKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    getSelection()?.removeAllRanges();
    // A normal link would scroll, and hide the lines above.
    history.pushState(null, '', extendRange(location.hash, Number(anchor.id.slice(1))));
    show();
  });
  const go = (): void => {
    show();
    see(rangeOf(location.hash));
  };
  addEventListener('hashchange', go);
  go();
}

/** Scrolls to a range, or opens the page of the log that has it. */
function see(range: LineRange | null): void {
  if (!range) return;
  const anchor = document.getElementById(`L${range.first}`);
  if (anchor) {
    anchor.closest('details')?.setAttribute('open', '');
    anchor.scrollIntoView({ block: 'center' });
    return;
  }
  const url = new URL(location.href);
  if (url.searchParams.get('from') === String(range.first)) return;
  url.searchParams.set('from', String(range.first));
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

/** A bar that shows the selected lines and copies their address. The address names the attempt and a page with the lines. */
function copyBar(lines: HTMLElement): { show(range: LineRange | null): void } {
  const [bar, text, button] = ['p', 'span', 'button'].map((name) => document.createElement(name)) as [
    HTMLElement,
    HTMLElement,
    HTMLButtonElement,
  ];
  bar.className = 'chosen-lines';
  bar.setAttribute('role', 'status');
  bar.hidden = true;
  button.type = 'button';
  button.addEventListener('click', () => {
    const range = rangeOf(location.hash);
    if (!range) return;
    const url = new URL(`${lines.dataset.page}&from=${range.first}`, location.href);
    url.hash = location.hash;
    void navigator.clipboard.writeText(url.href).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'The browser does not allow it'),
    );
  });
  bar.append(text, button);
  document.body.append(bar);
  return {
    show(range) {
      bar.hidden = range === null;
      // Browsers allow no copying without encryption; the reader can use the address bar.
      button.hidden = !('clipboard' in navigator);
      button.textContent = 'Copy link';
      if (range)
        text.textContent =
          range.first === range.last ? `Line ${range.first}` : `Lines ${range.first} to ${range.last}`;
    },
  };
}
