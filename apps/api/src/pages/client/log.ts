import { freshPage, updateSection } from './fresh-page';
import { followPage } from './live';
import { addLines } from './log-lines';
import { offerRanges } from './log-range';
import { LogSteps } from './log-steps';
import { followLog } from './log-stream';
import { isShortcut } from './shortcuts';

const BOTTOM_PX = 80;

/** Starts the script of a log page: new lines, ranges of lines, and keys for errors and parts. */
export function enliven(lines: HTMLElement): void {
  const announce = statusLine('log-said');
  const steps = new LogSteps(lines, announce);
  const keys: Record<string, () => void> = {
    n: () => steps.toError(1),
    p: () => steps.toError(-1),
    ']': () => steps.toPart(1),
    '[': () => steps.toPart(-1),
    f: toEnd,
    t: () => toggleAll(lines),
    w: () => lines.classList.toggle('unwrapped'),
  };
  offerRanges(lines);
  addEventListener('keydown', (event) => {
    if (isShortcut(event)) keys[event.key]?.();
  });
  addEventListener('click', (event) => {
    const step = (event.target as Element).closest<HTMLElement>('[data-step]')?.dataset.step;
    if (step === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    steps.toError(step === '1' ? 1 : -1);
  });
  follow(lines);
}

/** Adds new lines. When the log is complete, the page of the stored log replaces them. */
function follow(lines: HTMLElement): void {
  const { events, offset, line } = lines.dataset;
  if (events === undefined) return;
  const jump = jumpButton();
  const connection = statusLine('log-connection');
  let unseen = 0;
  const showUnseen = (): void => {
    if (isAtBottom()) unseen = 0;
    jump.hidden = isAtBottom();
    jump.textContent =
      unseen === 0 ? 'To the end ↓' : unseen === 1 ? '1 new line ↓' : `${unseen} new lines ↓`;
  };
  let lastLine = Number(line) - 1;
  addEventListener('scroll', showUnseen, { passive: true });
  showUnseen();
  followLog(events, `${offset}.${line}`, {
    lines(added) {
      const isFollowed = isAtBottom();
      addLines(lines, added, isFollowed);
      unseen += Math.max(0, added.lines - lastLine);
      lastLine = Math.max(lastLine, added.lines);
      if (isFollowed) toEnd();
      showUnseen();
    },
    notice(text) {
      const note = document.getElementById('log-note');
      if (note) [note.textContent, note.hidden] = [text, false];
    },
    connection,
    end() {
      removeEventListener('scroll', showUnseen);
      jump.remove();
      void showKept(lines).catch(() =>
        connection('Nothing further comes here. Load the page again to see why.'),
      );
    },
  });
}

/** Replaces the live lines by the current page of the attempt. The line at the top of the window stays there. */
async function showKept(lines: HTMLElement): Promise<void> {
  const [place, wasAtBottom] = [topLine(lines), isAtBottom()];
  const address = lines.dataset.page!;
  // The new page sets this again if its log is still live.
  delete lines.dataset.events;
  let fresh = await freshPage(address);
  if (place && fresh && !fresh.getElementById(place.id))
    fresh = await freshPage(`${address}&from=${place.id.slice(1)}`);
  if (!fresh) throw new Error('the page is refused');
  take(fresh, 'log-head');
  // When the log was not stored, keep the lines: this page has more of them than the server.
  if (!place || fresh.getElementById(place.id)) {
    const top = place?.getBoundingClientRect().top ?? 0;
    take(fresh, 'log-outline');
    takeLines(lines, fresh);
    const again = place && document.getElementById(place.id);
    if (wasAtBottom) toEnd();
    else if (again) scrollBy({ top: again.getBoundingClientRect().top - top });
  }
  const { follow: topic, address: own } = fresh.body.dataset;
  if (own !== undefined) document.body.dataset.address = own;
  if (topic !== undefined) followPage(topic);
  if (lines.dataset.events !== undefined) follow(lines);
}

function take(fresh: Document, id: string): void {
  const [section, other] = [document.getElementById(id), fresh.getElementById(id)];
  if (section && other) updateSection(section, other);
}

/**
 * Replaces all lines and the map at once, because comparing the lines of a long log would take seconds. Parts that the
 * reader has opened stay open.
 */
function takeLines(lines: HTMLElement, fresh: Document): void {
  const other = fresh.getElementById('log-lines');
  if (!other) return;
  for (const part of lines.querySelectorAll('details[open]'))
    fresh.getElementById(part.id)?.setAttribute('open', '');
  for (const name of Object.keys(lines.dataset)) delete lines.dataset[name];
  Object.assign(lines.dataset, other.dataset);
  lines.replaceChildren(...other.childNodes);
  while (lines.nextSibling) lines.nextSibling.remove();
  const map = fresh.querySelector('.log-map');
  if (map) lines.after(map);
}

/** The first visible line. */
function topLine(lines: HTMLElement): HTMLElement | null {
  for (const block of lines.querySelectorAll<HTMLElement>('details[open] > .lines'))
    if (block.getBoundingClientRect().bottom > 0)
      for (const line of block.querySelectorAll<HTMLElement>(':scope > [id]'))
        if (line.getBoundingClientRect().top >= 0) return line;
  return null;
}

function isAtBottom(): boolean {
  return innerHeight + scrollY >= document.body.scrollHeight - BOTTOM_PX;
}

function toEnd(): void {
  scrollTo({ top: document.body.scrollHeight });
}

function toggleAll(lines: HTMLElement): void {
  const parts = [...lines.querySelectorAll('details')];
  const isOpen = parts.every((part) => part.open);
  for (const part of parts) part.open = !isOpen;
}

function jumpButton(): HTMLButtonElement {
  const jump = document.createElement('button');
  jump.type = 'button';
  jump.className = 'jump';
  jump.addEventListener('click', toEnd);
  document.body.append(jump);
  return jump;
}

/** Shows a message above the log; an empty text removes it. */
function statusLine(id: string): (text: string) => void {
  const element = document.getElementById(id);
  const line = element ?? document.createElement('p');
  if (!element) {
    [line.id, line.className, line.hidden] = [id, 'notice said', true];
    line.setAttribute('role', 'status');
    document.getElementById('log-viewer')?.before(line);
  }
  return (text) => {
    line.textContent = text;
    line.hidden = text === '';
  };
}
