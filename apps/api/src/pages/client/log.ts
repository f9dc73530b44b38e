import { growLog } from './log-growth';
import { isInView, changeLayout, land, landAtEnd } from './log-landing';
import { statusLine } from './log-notice';
import { offerRanges } from './log-range';
import { LogSteps, type StepName } from './log-steps';
import { addSwitch } from './log-switches';
import { LogTimes } from './log-times';
import { isShortcut } from './shortcuts';

/** Starts the script of a log page: new lines, ranges of lines, and keys for errors and parts. */
export function enliven(lines: HTMLElement): void {
  const selection = offerRanges(lines, () => steps.update());
  const steps = new LogSteps(lines, selection, statusLine('log-said'));
  const times = new LogTimes(lines);
  selection.open();
  if (selection.first() === null) openAtFocus(lines);
  growLog(lines, () => {
    steps.update();
    times.update();
  });
  const wrap = addSwitch('Wrap lines', true, () =>
    changeLayout(lines, steps.here(), () => !lines.classList.toggle('unwrapped')),
  );
  const showTimes = addSwitch('Times', false, () => changeLayout(lines, steps.here(), () => times.toggle()));
  const keys: Record<string, () => void> = {
    n: () => steps.toLine('error', 1),
    p: () => steps.toLine('error', -1),
    N: () => steps.toLine('hit', 1),
    P: () => steps.toLine('hit', -1),
    ']': () => steps.toPart(1),
    '[': () => steps.toPart(-1),
    f: landAtEnd,
    t: () => toggleAll(lines),
    w: () => wrap.click(),
    i: () => showTimes.click(),
  };
  addEventListener('keydown', (event) => {
    if (isShortcut(event)) keys[event.key]?.();
  });
  addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('.steps a');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { steps: name } = link.parentElement!.dataset;
    steps.toLine(name as StepName, link.rel === 'next' ? 1 : -1);
  });
}

/** Scrolls to the line at which the log opens, the first error. After a reload the browser scrolls to where the reader was. */
function openAtFocus(lines: HTMLElement): void {
  const line = document.getElementById(`L${lines.dataset.focus}`);
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  if (line && visit?.type === 'navigate' && !isInView(line)) land(line);
}

function toggleAll(lines: HTMLElement): void {
  const parts = [...lines.querySelectorAll('details')];
  const isOpen = parts.every((part) => part.open);
  for (const part of parts) part.open = !isOpen;
}
