import { LiveText } from './live-text';
import { isShortcut } from './shortcuts';

/** Milliseconds between two looks at what has come: a fast log is written in few steps. */
const WRITE_EVERY_MS = 200;
/** Lines that a live log keeps on the page. */
const LINES_MAX = 20_000;
const BOTTOM_PX = 80;
/** Makes the page of a log live: what comes is added, anchors of several lines are shown, and keys go from error to error. */
export function enliven(lines: HTMLElement): void {
  const keys: Record<string, () => void> = {
    n: () => goToError(lines, 1),
    p: () => goToError(lines, -1),
    ']': () => goToPart(lines, 1),
    '[': () => goToPart(lines, -1),
    f: () => scrollTo({ top: document.body.scrollHeight }),
    t: () => toggleAll(lines),
    w: () => lines.classList.toggle('unwrapped'),
  };
  showRange(lines);
  addEventListener('hashchange', () => showRange(lines));
  addEventListener('keydown', (event) => {
    if (isShortcut(event)) keys[event.key]?.();
  });
  const { events, offset } = lines.dataset;
  if (events !== undefined) follow(lines, `${events}&offset=${offset ?? '0'}`);
}

/** The lines of `#L12` or `#L12-L20`; a line that is not here is on a page of its own. */
function showRange(lines: HTMLElement): void {
  const [, first, last = first] = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash) ?? [];
  for (const each of lines.querySelectorAll('.chosen')) each.classList.remove('chosen');
  if (first === undefined) return;
  const anchor = document.getElementById(`L${first}`);
  if (!anchor) {
    const url = new URL(location.href);
    if (url.searchParams.get('from') === first) return;
    url.searchParams.set('from', first);
    location.replace(url);
    return;
  }
  for (let line = Number(first); line <= Math.min(Number(last), Number(first) + 1_000); line += 1)
    document.getElementById(`L${line}`)?.classList.add('chosen');
  anchor.closest('details')?.setAttribute('open', '');
  anchor.scrollIntoView({ block: 'center' });
}

function goToError(lines: HTMLElement, step: 1 | -1): void {
  const marks = [...lines.querySelectorAll<HTMLElement>('mark')];
  const at = marks.findIndex((mark) => mark.classList.contains('here'));
  marks[at]?.classList.remove('here');
  const next = marks[at === -1 && step === -1 ? marks.length - 1 : at + step];
  next?.closest('details')?.setAttribute('open', '');
  next?.classList.add('here');
  next?.scrollIntoView({ block: 'center' });
}

/** To the heading of the next part, or of the one before. */
function goToPart(lines: HTMLElement, step: 1 | -1): void {
  const heads = [...lines.querySelectorAll('summary')];
  const below = heads.findIndex((head) => head.parentElement!.getBoundingClientRect().top > 1);
  const here = (below === -1 ? heads.length : below) - 1;
  const isInside = here >= 0 && heads[here]!.parentElement!.getBoundingClientRect().top < -1;
  const target = heads[step === 1 ? here + 1 : isInside ? here : here - 1];
  target?.parentElement!.scrollIntoView({ block: 'start' });
  target?.focus({ preventScroll: true });
}

function toggleAll(lines: HTMLElement): void {
  const parts = [...lines.querySelectorAll('details')];
  const isOpen = parts.every((part) => part.open);
  for (const part of parts) part.open = !isOpen;
}

/** Adds what comes; the end of the attempt shows the page of the log that is kept. */
function follow(lines: HTMLElement, url: string): void {
  const block = document.createElement('pre');
  block.className = 'lines live';
  lines.append(block);
  const jump = document.createElement('button');
  jump.type = 'button';
  jump.className = 'jump';
  jump.hidden = true;
  jump.addEventListener('click', () => scrollTo({ top: document.body.scrollHeight }));
  lines.append(jump);
  const [decoder, text, open] = [new TextDecoder(), new LiveText(), document.createTextNode('')];
  block.append(open);
  let [waiting, unseen] = ['', 0];
  const write = (): void => {
    if (waiting === '') return;
    const isAtBottom = innerHeight + scrollY >= document.body.scrollHeight - BOTTOM_PX;
    const added = text.add(waiting);
    unseen = isAtBottom ? 0 : unseen + added.lines.length;
    for (const line of added.lines.slice(-LINES_MAX)) open.before(line);
    open.data = added.open;
    waiting = '';
    while (block.childNodes.length > LINES_MAX) block.firstChild?.remove();
    jump.hidden = unseen === 0;
    jump.textContent = `${unseen} new lines ↓`;
    if (isAtBottom) scrollTo({ top: document.body.scrollHeight });
  };
  const timer = setInterval(write, WRITE_EVERY_MS);
  const source = new EventSource(url);
  source.addEventListener('log', (event: MessageEvent<string>) => {
    const { data } = JSON.parse(event.data) as { data: string };
    waiting += decoder.decode(
      Uint8Array.from(atob(data), (each) => each.charCodeAt(0)),
      { stream: true },
    );
  });
  source.addEventListener('end', () => {
    source.close();
    clearInterval(timer);
    write();
    const state = document.getElementById('log-state');
    const link = document.createElement('a');
    link.href = location.pathname + location.search;
    link.textContent = 'Show the whole log, with its parts';
    state?.replaceChildren('The test has ended. ', link);
  });
}
