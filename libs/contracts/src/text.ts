import { ValidateBy, type ValidateByOptions, type ValidationOptions } from 'class-validator';

/** Whether the database can store it: no NUL, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/**
 * A text for people in a message or a row: on one line, without control characters, cut to `lengthMax` UTF-16
 * units with `…` at the end.
 */
export function oneLine(text: string, lengthMax: number): string {
  const plain = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  // The cut may leave half a character.
  return (plain.length <= lengthMax ? plain : `${plain.slice(0, lengthMax - 1)}…`).toWellFormed();
}

/** The first `lengthMax` UTF-16 units of a text; a character that is cut in half becomes U+FFFD. */
export function cut(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).toWellFormed();
}

/** The longest texts in messages and rows, in UTF-16 units. Why a user decided something: */
export const REASON_LENGTH_MAX = 500;

/** How an attempt ended, in a report; why a report was answered as it was. */
export const MESSAGE_LENGTH_MAX = 2000;

/** The explanation of a worker or dispatcher for a request, a return or a signal. */
export const EXPLANATION_LENGTH_MAX = 1000;

/** The version of a tested package. */
export const VERSION_LENGTH_MAX = 256;

/** Why a user decided something: not blank, and the database can store it. */
export function isReason(text: string): boolean {
  return text.trim() !== '' && text.length <= REASON_LENGTH_MAX && isStorable(text);
}

/** A string that the database can store, of at most `lengthMax` UTF-16 units. */
export function IsText(lengthMax: number, options: ValidationOptions = {}): PropertyDecorator {
  const rule: ValidateByOptions = {
    name: 'isText',
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string' && value.length <= lengthMax && isStorable(value),
      defaultMessage: (context) =>
        `${context?.property} must be a string of at most ${lengthMax} characters without NUL`,
    },
  };
  return ValidateBy(rule, options);
}
