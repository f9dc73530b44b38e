import { cutFrom, fragment } from './log-lines';
import { followLog, type ReceivedLines } from './log-stream';

/** The number of lines that stay, as on the server. */
const LINES_MAX = 10;

/**
 * Adds the new lines of a live log to the page of its run.
 * @param refresh updates the page, when the log has ended or its lines are out of date
 * @returns a function to call after each update of the page: a run may have begun another attempt
 */
export function followTail(refresh: () => void): () => void {
  let [events, stop] = ['', (): void => undefined];
  return () => {
    const tail = document.getElementById('log-tail');
    const current = tail?.dataset.events ?? '';
    if (current === events) return;
    stop();
    events = current;
    if (!tail || events === '') return;
    const { offset, line } = tail.dataset;
    const say = (text: string): void => {
      tail.querySelector('[role=status]')!.textContent = text;
    };
    stop = followLog(events, `${offset}.${line}`, {
      lines: (added) => addLast(tail, added),
      notice: say,
      connection: say,
      end() {
        events = '';
        // The update replaces the lines only if their stream is another one.
        delete tail.dataset.events;
        refresh();
      },
    });
  };
}

function addLast(tail: HTMLElement, { from, html }: ReceivedLines): void {
  const block = tail.querySelector('.lines')!;
  const again = document.getElementById(`L${from}`);
  if (again) cutFrom(again);
  for (const added of fragment(html).querySelectorAll('.lines')) block.append(...added.childNodes);
  const numbers = [...block.querySelectorAll<HTMLAnchorElement>(':scope > [id]')];
  const first = numbers.at(-LINES_MAX);
  while (first?.previousSibling) first.previousSibling.remove();
  for (const number of numbers.slice(-LINES_MAX)) number.href = `${tail.dataset.page}#${number.id}`;
}
