import { ValidateIf } from 'class-validator';
import { IsRunId } from './run';
import { IsWholeFrom } from './whole-number';

/** The highest number of an attempt: subjects and names have nine digits for it. */
export const ATTEMPT_MAX = 999_999_999;

/**
 * One grant of one attempt. Run and attempt alone do not identify it: a database that was restored to an earlier moment
 * grants the same attempt again, in a later epoch.
 */
export class Grant {
  @IsRunId()
  runId: number;

  @IsWholeFrom(1, ATTEMPT_MAX)
  attempt: number;

  @IsGrantEpoch()
  grantEpoch?: number;
}

/**
 * The epoch of the lease's grant. Absent in messages and files of earlier versions:
 * then run and attempt decide alone.
 */
export function IsGrantEpoch(): PropertyDecorator {
  const rules = [ValidateIf(isEpochKnown), IsWholeFrom(1, Number.MAX_SAFE_INTEGER)];
  return (target, property) => rules.forEach((rule) => rule(target, property));
}

function isEpochKnown({ grantEpoch }: Partial<Grant>): boolean {
  return grantEpoch !== undefined;
}

/** The fields of a message that identify its grant. */
export function grantOf({ runId, attempt, grantEpoch }: Grant): Grant {
  return { runId, attempt, ...(grantEpoch !== undefined && { grantEpoch }) };
}

/** Whether both are the same grant, as far as both know the epoch. */
export function isSameGrant(one: Grant, other: Grant): boolean {
  const isSameAttempt = one.runId === other.runId && one.attempt === other.attempt;
  const areEpochsKnown = one.grantEpoch !== undefined && other.grantEpoch !== undefined;
  return isSameAttempt && (!areEpochsKnown || one.grantEpoch === other.grantEpoch);
}

/** The grant as a part of names: its numbers, `{runId}`, `{attempt}` and `{grantEpoch}`, with the separator between. */
export function grantName({ runId, attempt, grantEpoch }: Grant, separator: string): string {
  return [runId, attempt, ...(grantEpoch === undefined ? [] : [grantEpoch])].join(separator);
}
