import { Idiomorph } from 'idiomorph';
import type { ReceivedLines } from './log-stream';

/** Lines in a block, the same number as on the server. */
const BLOCK_LINES = 100;
/** The page of a live log keeps this many lines. */
const LINES_MAX = 20_000;

/** Adds new lines at the end. @param isFollowed whether the reader is at the end of the log */
export function addLines(
  list: HTMLElement,
  { from, lines, html, outline }: ReceivedLines,
  isFollowed: boolean,
): void {
  dropFrom(from);
  for (const part of fragment(html).querySelectorAll('details')) {
    const section = document.getElementById(part.id);
    if (section) grow(section, part);
    else if (part.querySelector('pre')) {
      // A new part is open, so that the reader sees its lines.
      part.open = true;
      list.append(part);
    }
  }
  const tree = document.getElementById('log-outline');
  if (outline !== null && tree) void Idiomorph.morph(tree, outline, { morphStyle: 'innerHTML' });
  const count = document.getElementById('log-count');
  if (count) count.textContent = lines === 1 ? '1 line' : `${lines} lines`;
  shorten(list, lines, isFollowed ? LINES_MAX : 2 * LINES_MAX);
}

/** The number of the first line on the page; null when there is none. */
export function firstLine(list: HTMLElement): number | null {
  const first = list.querySelector('.lines > [id]');
  return first ? Number(first.id.slice(1)) : null;
}

/** Removes a line and all later lines: an incomplete last line is sent again when it is longer. */
function dropFrom(line: number): void {
  const anchor = document.getElementById(`L${line}`);
  const block = anchor?.parentElement;
  if (!anchor || !block) return;
  cutFrom(anchor);
  if (!block.firstChild) block.remove();
}

/** Removes the number of a line, its text and all later lines of its block. */
export function cutFrom(anchor: Element): void {
  while (anchor.nextSibling) anchor.nextSibling.remove();
  anchor.remove();
}

function grow(section: HTMLElement, part: HTMLElement): void {
  const [head, fresh] = [section.querySelector('summary'), part.querySelector('summary')];
  if (head && fresh) void Idiomorph.morph(head, fresh);
  for (const block of part.querySelectorAll('pre')) {
    const last = section.lastElementChild;
    const room = last instanceof HTMLPreElement ? BLOCK_LINES - linesOf(last) : 0;
    if (last && linesOf(block) <= room) last.append(...block.childNodes);
    else section.append(block);
  }
}

/** Removes old lines at the top, block by block. A link leads to them. */
function shorten(list: HTMLElement, lines: number, most: number): void {
  let first = firstLine(list);
  if (first === null || lines - first < most) return;
  for (; first !== null && lines - first >= most; first = firstLine(list)) {
    const block = list.querySelector('.lines');
    const part = block?.parentElement;
    block?.remove();
    if (part && !part.querySelector('.lines')) part.remove();
  }
  const link = list.querySelector<HTMLAnchorElement>('a[rel=prev]') ?? earlierLink(list);
  link.href = `${list.dataset.page}&from=${Math.max(1, (first ?? 1) - 1)}`;
}

function earlierLink(list: HTMLElement): HTMLAnchorElement {
  const [paragraph, link] = [document.createElement('p'), document.createElement('a')];
  link.rel = 'prev';
  link.textContent = 'Earlier lines';
  paragraph.append(link);
  list.prepend(paragraph);
  return link;
}

function linesOf(block: Element): number {
  return block.querySelectorAll(':scope > [id]').length;
}

/** Parses HTML from the server. */
export function fragment(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = html;
  return template.content;
}
