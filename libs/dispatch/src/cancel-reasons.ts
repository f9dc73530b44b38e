/** The cancelled runs of late that are remembered, to tell workers that do not know of it why they must stop. */
const REMEMBERED_MAX = 1_000;

/** Why cancelled runs are gone: reasons for people, by run id. */
export class CancelReasons {
  private readonly reasons = new Map<number, string>();

  /** A Map keeps the order of insertion, so the first entry is the oldest. */
  add(runId: number, reason: string): void {
    this.reasons.set(runId, reason);
    const [oldest] = this.reasons.keys();
    if (this.reasons.size > REMEMBERED_MAX && oldest !== undefined) this.reasons.delete(oldest);
  }

  reasonOf(runId: number): string | undefined {
    return this.reasons.get(runId);
  }
}
