import { rangeOf } from './log-range';

/** What `n`, `p`, `]` and `[` go to: an error, or a part. */
export class LogSteps {
  /** The error that was gone to last. */
  private here: HTMLElement | null = null;

  constructor(
    private readonly lines: HTMLElement,
    private readonly say: (text: string) => void,
  ) {}

  /** To the next error, or the one before; one that is not here is on a page of its own. */
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

  /** To the heading of the next part, or of the one before. */
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

  /** Where the reader is: at the error of the last step, at the line of the address, or before the line that the page is opened at. */
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

/** Of the line that a mark is in. */
function numberOf(mark: HTMLElement): number {
  return Number(mark.previousElementSibling?.id.slice(1));
}
