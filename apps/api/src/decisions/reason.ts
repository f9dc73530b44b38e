import { isReason, REASON_LENGTH_MAX } from '@proctor/contracts';
import { must } from '../shape/must';
import { IsStringThat } from '../shape/is-string-that';

/** Why somebody decided something, for people. */
export function IsReason(): PropertyDecorator {
  return IsStringThat(isReason, must(`be a string of 1 to ${REASON_LENGTH_MAX} characters without NUL`));
}
