import { describe } from '@proctor/contracts';
import { isUtf8 } from 'node:buffer';
import { readJson } from './json-reader';
import { badRequest, Problem } from './problem';
import type { TextField } from './parameters';
import { atOnce, type SlicedWork } from './slices';

/** The maximum length of a JSON text that is parsed at once, in UTF-16 units: a form field or a query value. */
export const SHORT_JSON_LENGTH_MAX = 256 * 1024;

/**
 * Decodes strict UTF-8 without its byte order mark.
 * @param what the name of the bytes in the refusal, such as `The body`
 * @throws Problem 400 for bytes that are not UTF-8
 */
export function utf8(bytes: Uint8Array, what: string): string {
  if (!isUtf8(bytes)) throw badRequest(`${what} is not valid UTF-8.`);
  return new TextDecoder().decode(bytes);
}

/**
 * Parses a short JSON text at once.
 * @throws Problem 400 that says where the text is not JSON, or that it is too deep; 413 for a text that is too long
 * or has too many values
 */
export function json(text: string, what: string, pointer: string | null): unknown {
  if (text.length > SHORT_JSON_LENGTH_MAX)
    throw new Problem(413, `${what} is longer than ${SHORT_JSON_LENGTH_MAX} characters.`);
  return atOnce(readJson(Buffer.from(text), what, pointer));
}

/** Parses a JSON text of any length; a long one comes as bytes. @throws like `json` */
export function* jsonOf(text: string | Buffer, what: string, pointer: string | null): SlicedWork<unknown> {
  return typeof text === 'string' ? json(text, what, pointer) : yield* readJson(text, what, pointer);
}

/** More than any request has. Without a limit, a body of commas would need many times its size in memory. */
export const FIELDS_MAX = 100;

/**
 * The fields of a query, in their order.
 * @throws Problem 400 for a percent sign without two hexadecimal digits, or bytes that are not UTF-8
 */
export function urlEncodedFields(text: string): TextField[] {
  const fields: TextField[] = [];
  for (const part of text.split('&')) {
    if (part === '') continue;
    if (fields.length === FIELDS_MAX) throw badRequest(`There are more than ${FIELDS_MAX} parameters.`);
    const equals = part.indexOf('=');
    const name = percentDecoded(equals < 0 ? part : part.slice(0, equals));
    fields.push([name, equals < 0 ? '' : percentDecoded(part.slice(equals + 1))]);
  }
  return fields;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw badRequest(`${describe(text)} is not percent-encoded UTF-8.`);
  }
}
