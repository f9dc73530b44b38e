const OWN = /^(?: *(\d+)s )?autopkgtest \[(\d\d):(\d\d):(\d\d)\]: /;
/** The time since the start that newer versions of autopkgtest write before each line. */
const ELAPSED = /^ *(\d+)s /;
const DAY_SECONDS = 86_400;

/**
 * Shows the time beside each line. It is the time of the line itself, or else of the last line before it that has one:
 * older versions of autopkgtest write the time only before their own lines.
 */
export class LogTimes {
  private isOn = false;
  /** The clock when the runner started, in seconds since midnight; null when no line before has shown it. */
  private start: number | null = null;
  private last = '';

  constructor(private readonly lines: HTMLElement) {}

  /** @returns whether the times are shown now */
  toggle(): boolean {
    this.isOn = !this.isOn;
    this.update();
    this.lines.classList.toggle('timed', this.isOn);
    return this.isOn;
  }

  /** Adds the times of lines that have none yet. */
  update(): void {
    if (!this.isOn) return;
    if (!this.lines.querySelector('[data-time]')) this.last = '';
    for (const line of this.lines.querySelectorAll<HTMLElement>('.lines > [id]:not([data-time])')) {
      this.last = this.timeOf(line.nextSibling?.textContent ?? '') ?? this.last;
      line.dataset.time = this.last;
    }
  }

  private timeOf(text: string): string | null {
    const [own, since, hours, minutes, seconds] = OWN.exec(text) ?? [];
    if (own !== undefined) {
      const clock = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
      if (since !== undefined) this.start = clock - Number(since);
      return clockText(clock);
    }
    const elapsed = ELAPSED.exec(text)?.[1];
    return elapsed === undefined || this.start === null ? null : clockText(this.start + Number(elapsed));
  }
}

/** Seconds since midnight as `12:34:56`. */
function clockText(seconds: number): string {
  const clock = ((seconds % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS;
  return [clock / 3_600, (clock / 60) % 60, clock % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':');
}
