/** Keeps a loop's next round from beginning. */
export class Turnstile {
  private opened: Promise<void> = Promise.resolve();
  private open_: () => void = () => undefined;
  private inside: Promise<unknown> = Promise.resolve();

  /** Does one round, once it may begin. */
  async pass<T>(round: () => Promise<T>): Promise<T> {
    await this.opened;
    const turn = round();
    this.inside = turn.catch(() => undefined);
    return turn;
  }

  /** Resolves when no round is under way; none begins until it is opened. */
  async close(): Promise<void> {
    this.opened = new Promise((resolve) => (this.open_ = resolve));
    await this.inside;
  }

  open(): void {
    this.open_();
  }
}
