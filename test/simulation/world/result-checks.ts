import { grantName, type Grant } from '@proctor/contracts';

/** How the message of an attempt begins whose report could not be read. */
const REFUSED = 'the report of worker ';
/** And of one whose worker could not keep its result. */
const NOT_KEPT = 'the worker could not keep the result: ';

/** Checks that only a message about a grant is recorded as its result. */
export class ResultChecks {
  /** Grants whose results could not be kept: their attempts have failed for that. */
  private readonly unkept = new Set<string>();

  notKept(grant: Grant): void {
    this.unkept.add(titleOf(grant));
  }

  /** Once more, since a restore: it may be kept this time. */
  executed(grant: Grant): void {
    this.unkept.delete(titleOf(grant));
  }

  mayBe(grant: Grant, message: string): boolean {
    if (message.startsWith(REFUSED)) return true;
    return message.startsWith(this.unkept.has(titleOf(grant)) ? NOT_KEPT : resultOf(grant));
  }
}

/** The message of a result names its grant, so that a result booked under another is seen. */
export function resultOf(grant: Grant): string {
  return `result of ${titleOf(grant)}.`;
}

export function titleOf(grant: Grant): string {
  return `attempt ${grantName(grant, '/')}`;
}
