/** Blocks of lines this many heights of the window around a place get their real height before the page stays there. */
const WINDOWS_AROUND = 2;

/**
 * Scrolls to a part or a line of a log. A block of lines that the browser has not laid out has a guessed height, so the
 * place would move when the browser lays out the blocks around it: that happens here, before the reader sees anything.
 */
export function land(target: Element): void {
  target.closest('details')?.setAttribute('open', '');
  do target.scrollIntoView({ block: 'start' });
  while (showBlocks());
}

/** Scrolls to the end of the page, as `land`. */
export function landAtEnd(): void {
  do scrollTo({ top: document.body.scrollHeight });
  while (showBlocks());
}

/**
 * Changes the layout of the lines. The line that the reader has selected stays in its place; if that is not in view, the
 * first visible one.
 * @returns what `change` returns
 */
export function changeLayout<Result>(
  lines: HTMLElement,
  selected: HTMLElement | null,
  change: () => Result,
): Result {
  const line = selected && isInView(selected) ? selected : topLine(lines);
  const top = line?.getBoundingClientRect().top ?? 0;
  const result = change();
  if (line) moveTo(line, top);
  return result;
}

/** Scrolls until a line is this far below the top of the window, in pixels. */
export function moveTo(line: Element, top: number): void {
  do scrollBy({ top: line.getBoundingClientRect().top - top });
  while (showBlocks());
}

/** The first line below the bar. */
export function topLine(lines: HTMLElement): HTMLElement | null {
  const edge = topEdge();
  for (const block of lines.querySelectorAll<HTMLElement>('details[open] > .lines'))
    if (block.getBoundingClientRect().bottom > edge)
      for (const line of block.querySelectorAll<HTMLElement>(':scope > [id]'))
        if (line.getBoundingClientRect().top >= edge) return line;
  return null;
}

/** Where the lines begin in the window, below the bar that stays in view. */
export function topEdge(): number {
  return Math.max(0, document.getElementById('log-bar')?.getBoundingClientRect().bottom ?? 0);
}

/** Whether a line is in view, below the heading of its part. */
export function isInView(line: Element): boolean {
  const { top, bottom } = line.getBoundingClientRect();
  const head = line.closest('details[open]')?.querySelector('summary');
  return head != null && top >= head.getBoundingClientRect().bottom && bottom <= innerHeight;
}

/** Lays out the blocks near the window. @returns whether there were any that had only a guessed height */
function showBlocks(): boolean {
  const margin = WINDOWS_AROUND * innerHeight;
  const blocks = [...document.querySelectorAll('details[open] > .lines:not(.shown)')];
  const near = blocks.filter((block) => {
    const { top, bottom } = block.getBoundingClientRect();
    return bottom > -margin && top < innerHeight + margin;
  });
  for (const block of near) block.classList.add('shown');
  return near.length > 0;
}
