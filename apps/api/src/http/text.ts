import { describe, wellFormed } from '@proctor/contracts';
import { isUtf8 } from 'node:buffer';
import { checkJsonSize } from './json-size';
import { badRequest, refused } from './problem';
import type { Field } from './parameters';

/**
 * Strictly UTF-8; a byte order mark is dropped.
 * @param what names the bytes in the refusal, as `The body`
 * @throws Problem 400
 */
export function utf8(bytes: Uint8Array, what: string): string {
  if (!isUtf8(bytes)) throw badRequest(`${what} is not valid UTF-8.`);
  return new TextDecoder().decode(bytes);
}

/**
 * @throws Problem 400 that says where the text stops being JSON, or that it nests too deep; 413 for too many values
 */
export function json(text: string, what: string, pointer: string | null): unknown {
  checkJsonSize(text, what, pointer);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refused(`${what} is not valid JSON: ${wellFormed(error.message.slice(0, 200))}.`, pointer);
  }
}

/** More than any request has; without a limit a body of commas alone would need many times its size in memory. */
const FIELDS_MAX = 100;

/**
 * The fields of a query or of an `application/x-www-form-urlencoded` body, in their order.
 * @throws Problem 400 for a percent sign that encodes nothing, or bytes that are not UTF-8
 */
export function urlEncodedFields(text: string): Field[] {
  const fields: Field[] = [];
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
