import type { RunOptions } from '@proctor/request-fields';
import { ValidateBy } from 'class-validator';

/** The largest id that a run can have: 2^53 - 1, up to which a JSON number is exact in every language. */
export const RUN_ID_MAX = Number.MAX_SAFE_INTEGER;

export function isRunId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/** Parses an id of decimal digits without leading zeros; null when the text is not one. */
export function runIdIn(text: string): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null;
  return isRunId(id) ? id : null;
}

/** The id of a run. */
export function IsRunId(): PropertyDecorator {
  return ValidateBy({
    name: 'isRunId',
    validator: {
      validate: isRunId,
      defaultMessage: (context) => `${context?.property} must be an integer from 1 to ${RUN_ID_MAX}`,
    },
  });
}

/** The test, its place and its options. Does not change after the run is accepted, except `priority`. */
export interface RunRequest extends RunOptions {
  package: string;
  suite: string;
  arch: string;
}
