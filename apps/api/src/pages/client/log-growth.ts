import { freshPage, updateSection } from './fresh-page';
import { followPage } from './live';
import { landAtEnd, moveTo, topLine } from './log-landing';
import { addLines } from './log-lines';
import { statusLine } from './log-notice';
import { followLog } from './log-stream';
import { addSwitch } from './log-switches';

const BOTTOM_PX = 80;

/**
 * Adds the new lines of a live log. When the log is complete, the page of the stored log replaces them. A reader at the
 * end stays there, until she scrolls up or releases the switch.
 * @param onChange is called after each change of the lines
 */
export function growLog(lines: HTMLElement, onChange: () => void): void {
  const { events, offset, line } = lines.dataset;
  if (events === undefined) return;
  const jump = jumpButton();
  const connection = statusLine('log-connection');
  let [unseen, isFollowed, place] = [0, false, scrollY];
  const toggle = addSwitch('Follow', false, () => follow(!isFollowed));
  const showState = (): void => {
    if (isFollowed) unseen = 0;
    jump.hidden = isFollowed;
    jump.textContent =
      unseen === 0 ? 'To the end ↓' : unseen === 1 ? '1 new line ↓' : `${unseen} new lines ↓`;
    toggle.setAttribute('aria-pressed', String(isFollowed));
  };
  const follow = (isWanted: boolean): boolean => {
    isFollowed = isWanted;
    if (isFollowed) landAtEnd();
    place = scrollY;
    showState();
    return isFollowed;
  };
  const look = (): void => {
    const isUp = scrollY < place;
    place = scrollY;
    if (isAtBottom()) isFollowed = true;
    else if (isUp) isFollowed = false;
    showState();
  };
  let lastLine = Number(line) - 1;
  jump.addEventListener('click', () => follow(true));
  addEventListener('scroll', look, { passive: true });
  // Who opens the address of a line wants to see that line.
  follow(location.hash === '' && lines.dataset.focus === undefined);
  followLog(events, `${offset}.${line}`, {
    lines(added) {
      addLines(lines, added, isFollowed);
      unseen += Math.max(0, added.lines - lastLine);
      lastLine = Math.max(lastLine, added.lines);
      follow(isFollowed);
      onChange();
    },
    notice(text) {
      const note = document.getElementById('log-note');
      if (note) [note.textContent, note.hidden] = [text, false];
    },
    connection,
    end() {
      removeEventListener('scroll', look);
      jump.remove();
      toggle.remove();
      void showKept(lines, isFollowed, onChange).catch(() =>
        connection('The log stops here. Reload the page to see why.'),
      );
    },
  });
}

/** Replaces the live lines by the current page of the attempt. The line at the top of the window stays there. */
async function showKept(lines: HTMLElement, isFollowed: boolean, onChange: () => void): Promise<void> {
  const place = topLine(lines);
  const address = lines.dataset.page!;
  // The new page sets this again if its log is still live.
  delete lines.dataset.events;
  let fresh = await freshPage(address);
  if (place && fresh && !fresh.getElementById(place.id))
    fresh = await freshPage(`${address}&from=${place.id.slice(1)}`);
  if (!fresh) throw new Error('the page is refused');
  take(fresh, 'log-head');
  take(fresh, 'log-state');
  // When the log was not stored, keep the lines: this page has more of them than the server.
  if (!place || fresh.getElementById(place.id)) {
    const top = place?.getBoundingClientRect().top ?? 0;
    take(fresh, 'log-outline');
    takeLines(lines, fresh);
    const again = place && document.getElementById(place.id);
    if (isFollowed) landAtEnd();
    else if (again) moveTo(again, top);
  }
  const { follow: topic, address: own } = fresh.body.dataset;
  if (own !== undefined) document.body.dataset.address = own;
  if (topic !== undefined) followPage(topic);
  onChange();
  growLog(lines, onChange);
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

function isAtBottom(): boolean {
  return innerHeight + scrollY >= document.body.scrollHeight - BOTTOM_PX;
}

function jumpButton(): HTMLButtonElement {
  const jump = document.createElement('button');
  jump.type = 'button';
  jump.className = 'jump';
  document.body.append(jump);
  return jump;
}
