import type { PipeTransform } from '@nestjs/common';
import { describe, isPackageName, isWord, runIdIn, WORKER_NAME } from '@proctor/contracts';
import { badRequest, notFound } from './problem';
import type { Problem } from './problem';

/**
 * Pipes for names in a path or an address: `@Param('note_id', NOTE_IN_PATH) noteId: number`. Each refuses an
 * impossible name with 404.
 */
function inPath<T>(read: (text: string) => T | null, missing: (text: string) => Problem) {
  const transform = (text: string): T => {
    const value = read(text);
    if (value === null) throw missing(text);
    return value;
  };
  return { transform } satisfies PipeTransform<string, T>;
}

function idUpTo(most: number): (text: string) => number | null {
  return (text) => (/^[1-9]\d{0,14}$/.test(text) && Number(text) <= most ? Number(text) : null);
}

/** Accepts a text that is such a name; returns null for any other. */
export function nameThat(isName: (text: string) => boolean): (text: string) => string | null {
  return (text) => (isName(text) ? text : null);
}

const no = (what: string) => (text: string | number) => notFound(`There is no ${what} ${describe(text)}.`);

/** Accepts one of some words in a path. @param missing returns the message for any other word */
export const wordInPath = <Word extends string>(words: readonly Word[], missing: (text: string) => string) =>
  inPath(
    (text) => words.find((word) => word === text) ?? null,
    (text) => notFound(missing(describe(text))),
  );

const KEY_ID_MAX = 2 ** 31 - 1;
const ID_MAX = 10 ** 15 - 1;
const WEBHOOK_ID_MAX = 10 ** 9 - 1;

export const noSuchWebhook = no('webhook');
export const noSuchKey = (id: string | number): Problem =>
  notFound(`You have no API key ${describe(String(id))}.`);
export const noSuchSignature = (signature: string): Problem =>
  notFound(`No error of a public run has the signature ${describe(signature)}.`);
/** Also the answer for a run that the client may not see, so that its existence is not revealed. */
export const noSuchRun = (id: number | string): Problem =>
  notFound(`There is no run ${typeof id === 'number' ? id : describe(id)}.`);

export const RUN_IN_PATH = inPath(runIdIn, noSuchRun);
export const KEY_IN_PATH = inPath(idUpTo(KEY_ID_MAX), noSuchKey);
/** A key of any user. */
export const ANY_KEY_IN_PATH = inPath(idUpTo(KEY_ID_MAX), no('valid key'));
export const WEBHOOK_IN_PATH = inPath(idUpTo(WEBHOOK_ID_MAX), noSuchWebhook);
export const DELIVERY_IN_PATH = inPath(idUpTo(ID_MAX), no('delivery'));
export const NOTE_IN_PATH = inPath(idUpTo(ID_MAX), no('note'));
export const WORKER_IN_PATH = inPath(
  nameThat((text) => WORKER_NAME.test(text)),
  no('worker'),
);
export const USER_IN_PATH = inPath(nameThat(isWord), no('user'));
export const PACKAGE_IN_PATH = inPath(nameThat(isPackageName), (text) =>
  notFound(`No package can have the name ${describe(text)}.`),
);
export const SIGNATURE_IN_PATH = inPath(
  nameThat((text) => /^[0-9a-f]{16}$/.test(text)),
  noSuchSignature,
);

/**
 * The parameter `before` of a list of runs, newest first: the last run of the previous page; null for the first page.
 */
export const BEFORE_RUN = {
  /** @throws Problem 400 if it is sent more than once; 404 if it cannot be the id of a run */
  transform(value: unknown): number | null {
    if (value === undefined) return null;
    if (typeof value !== 'string') throw badRequest(`before must be one run id, not ${describe(value)}.`);
    return RUN_IN_PATH.transform(value);
  },
} satisfies PipeTransform<unknown, number | null>;
