import { land, topEdge } from './log-landing';
import type { LineSelection } from './log-range';

const NAMES = { error: 'Error', hit: 'Hit' };
export type StepName = keyof typeof NAMES;

/** Steps in a log: to an error, to a hit of the search, or to a part. */
export class LogSteps {
  constructor(
    private readonly lines: HTMLElement,
    private readonly selection: LineSelection,
    private readonly say: (text: string) => void,
  ) {}

  /** Moves to the next or the previous line of a kind. If it is not on this page, its page is opened. */
  toLine(name: StepName, step: 1 | -1): void {
    const nav = navOf(name);
    if (!nav) return;
    const next = this.nextLine(name, step);
    const beyond = step === 1 ? nav.dataset.next : nav.dataset.previous;
    if (next !== undefined) {
      this.selection.step(next);
      this.say('');
    } else if (beyond !== undefined) location.assign(beyond);
    else this.say(`There is no ${name} ${step === 1 ? 'after' : 'before'} this one.`);
  }

  /** Moves to the heading of the next or the previous part. */
  toPart(step: 1 | -1): void {
    const edge = topEdge();
    const heads = [...this.lines.querySelectorAll('summary')];
    const below = heads.findIndex((head) => head.parentElement!.getBoundingClientRect().top > edge + 1);
    const here = (below === -1 ? heads.length : below) - 1;
    const isInside = here >= 0 && heads[here]!.parentElement!.getBoundingClientRect().top < edge - 1;
    const target = heads[step === 1 ? here + 1 : isInside ? here : here - 1];
    const { nextPart, previousPart } = this.lines.dataset;
    const beyond = step === 1 ? nextPart : previousPart;
    if (target) {
      land(target.parentElement!);
      target.focus({ preventScroll: true });
    } else if (beyond !== undefined) location.assign(beyond);
    else this.say(step === 1 ? 'There is no part after this one.' : 'There is no part before this one.');
  }

  /** The current line of the reader; null when it is not on this page. */
  here(): HTMLElement | null {
    return document.getElementById(`L${this.line()}`);
  }

  /** Marks the error at the chosen line, and counts errors and hits up to it. */
  update(): void {
    this.lines.querySelector('mark.here')?.classList.remove('here');
    const mark = this.here()?.nextElementSibling;
    if (mark?.matches('mark:not(.found)')) mark.classList.add('here');
    for (const name of ['error', 'hit'] as const) this.count(name);
  }

  private count(name: StepName): void {
    const nav = navOf(name);
    if (!nav) return;
    const lines = this.linesOf(name);
    const before = Number(nav.dataset.before);
    const total = Math.max(Number(nav.dataset.total), before + lines.length);
    const at = lines.indexOf(this.line() ?? NaN);
    nav.hidden = total === 0;
    nav.querySelector('span')!.textContent =
      at !== -1
        ? `${NAMES[name]} ${before + at + 1} of ${total}`
        : `${total} ${name}${total === 1 ? '' : 's'}`;
    for (const link of nav.querySelectorAll('a')) {
      const isNext = link.rel === 'next';
      const line = this.nextLine(name, isNext ? 1 : -1);
      const url = line === undefined ? (isNext ? nav.dataset.next : nav.dataset.previous) : `#L${line}`;
      link.hidden = url === undefined;
      if (url !== undefined) link.href = url;
    }
  }

  private nextLine(name: StepName, step: 1 | -1): number | undefined {
    const at = this.line();
    const isNext = (line: number): boolean => at === null || (step === 1 ? line > at : line < at);
    const lines = this.linesOf(name);
    return step === 1 ? lines.find(isNext) : lines.findLast(isNext);
  }

  /** The lines of a kind on this page. */
  private linesOf(name: StepName): number[] {
    if (name === 'hit') return [...this.lines.querySelectorAll('.lines > [id].found')].map(numberOf);
    return [...this.lines.querySelectorAll('.lines > mark:not(.found)')].map((mark) =>
      numberOf(mark.previousElementSibling!),
    );
  }

  /** The current line of the reader: the chosen one, else the one at which the page opened. */
  private line(): number | null {
    const { focus } = this.lines.dataset;
    return this.selection.first() ?? (focus === undefined ? null : Number(focus));
  }
}

function navOf(name: StepName): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-steps=${name}]`);
}

function numberOf(line: Element): number {
  return Number(line.id.slice(1));
}
