import { rangeOf } from './log-range';

/** The steps of the keys `n`, `p`, `]` and `[`: to an error, or to a part of the log. */
export class LogSteps {
  /** The error of the last step. */
  private here: HTMLElement | null = null;

  constructor(
    private readonly lines: HTMLElement,
    private readonly say: (text: string) => void,
  ) {}

  /** Moves to the next or the previous error. If it is not on this page, its page is opened. */
  toError(step: 1 | -1): void {
    const at = this.line();
    const marks = [...this.lines.querySelectorAll<HTMLElement>('mark')];
    const next =
      step === 1
        ? marks.find((mark) => at === null || numberOf(mark) > at)
        : marks.findLast((mark) => at === null || numberOf(mark) < at);
    const { nextError, previousError } = this.lines.dataset;
    const beyond = step === 1 ? nextError : previousError;
    if (next) this.setMark(next);
    else if (beyond !== undefined) location.assign(beyond);
    else this.say(step === 1 ? 'There is no error after this one.' : 'There is no error before this one.');
  }

  /** Moves to the heading of the next or the previous part. */
  toPart(step: 1 | -1): void {
    const heads = [...this.lines.querySelectorAll('summary')];
    const below = heads.findIndex((head) => head.parentElement!.getBoundingClientRect().top > 1);
    const here = (below === -1 ? heads.length : below) - 1;
    const isInside = here >= 0 && heads[here]!.parentElement!.getBoundingClientRect().top < -1;
    const target = heads[step === 1 ? here + 1 : isInside ? here : here - 1];
    const { nextPart, previousPart } = this.lines.dataset;
    const beyond = step === 1 ? nextPart : previousPart;
    if (target) {
      target.parentElement!.scrollIntoView({ block: 'start' });
      target.focus({ preventScroll: true });
    } else if (beyond !== undefined) location.assign(beyond);
    else this.say(step === 1 ? 'There is no part after this one.' : 'There is no part before this one.');
  }

  /** The current line of the reader: the error of the last step, else the line in the address, else just before the line at which the page opens. */
  private line(): number | null {
    if (this.here?.isConnected) return numberOf(this.here);
    const { focus } = this.lines.dataset;
    return rangeOf(location.hash)?.first ?? (focus === undefined ? null : Number(focus) - 0.5);
  }

  private setMark(mark: HTMLElement): void {
    this.here?.classList.remove('here');
    this.here = mark;
    mark.classList.add('here');
    mark.closest('details')?.setAttribute('open', '');
    mark.scrollIntoView({ block: 'center' });
    this.say('');
  }
}

/** The number of the line that contains a mark. */
function numberOf(mark: HTMLElement): number {
  return Number(mark.previousElementSibling?.id.slice(1));
}
