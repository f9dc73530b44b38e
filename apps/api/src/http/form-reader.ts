import { describe } from '@proctor/contracts';
import { badRequest } from './problem';
import type { SlicedWork } from './slices';
import { FIELDS_MAX } from './text';
import { areUtf8 } from './utf8';

/** Bytes between two pauses. */
const REST_BYTES = 64 * 1024;
/** Fields without a name and a value are ignored, but counted. */
const EMPTY_FIELDS_MAX = 1_000;
/** The maximum length of a field's name, encoded: far more than any parameter has. */
const NAME_BYTES_MAX = 1_000;

const sign = (text: string): number => text.charCodeAt(0);
const [AND, EQUALS, PLUS, PERCENT, SPACE] = [sign('&'), sign('='), sign('+'), sign('%'), sign(' ')];

/** A field of a form, its value in UTF-8. */
export type ByteField = [name: string, value: Buffer];

/**
 * Reads the fields of an `application/x-www-form-urlencoded` body of any length, in their order.
 * @throws Problem 400 for too many fields, a percent sign without two hexadecimal digits, or bytes that are not UTF-8
 */
export function* readForm(body: Buffer): SlicedWork<ByteField[]> {
  const fields: ByteField[] = [];
  let empty = 0;
  for (let from = 0; from <= body.length;) {
    const and = body.indexOf(AND, from);
    const to = and < 0 ? body.length : and;
    if (to > from) {
      if (fields.length === FIELDS_MAX) throw badRequest(`There are more than ${FIELDS_MAX} parameters.`);
      fields.push(yield* readField(body.subarray(from, to)));
    } else if (++empty > EMPTY_FIELDS_MAX) {
      throw badRequest(`There are more than ${EMPTY_FIELDS_MAX} empty parameters.`);
    }
    from = to + 1;
    yield;
  }
  return fields;
}

function* readField(field: Buffer): SlicedWork<ByteField> {
  const equals = field.indexOf(EQUALS);
  const encodedName = equals < 0 ? field : field.subarray(0, equals);
  if (encodedName.length > NAME_BYTES_MAX)
    throw badRequest(`A parameter has a name of more than ${NAME_BYTES_MAX} bytes.`);
  const name = yield* decoded(encodedName);
  const value = yield* decoded(equals < 0 ? Buffer.alloc(0) : field.subarray(equals + 1));
  return [name.toString(), value];
}

function* decoded(encoded: Buffer): SlicedWork<Buffer> {
  const bytes = Buffer.allocUnsafe(encoded.length);
  let length = 0;
  for (let at = 0, restAt = 0; at < encoded.length; length += 1) {
    if (at >= restAt) {
      restAt += REST_BYTES;
      yield;
    }
    const byte = encoded[at]!;
    if (byte === PERCENT) {
      const value = (digit(encoded[at + 1]) << 4) | digit(encoded[at + 2]);
      if (value < 0) throw notEncoded(encoded);
      bytes[length] = value;
      at += 3;
    } else {
      bytes[length] = byte === PLUS ? SPACE : byte;
      at += 1;
    }
  }
  const text = bytes.subarray(0, length);
  if (!(yield* areUtf8(text))) throw notEncoded(encoded);
  return text;
}

/** The value of a hexadecimal digit; -1 for any other byte. */
function digit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}

function notEncoded(encoded: Buffer) {
  return badRequest(`${describe(encoded.subarray(0, 100).toString())} is not percent-encoded UTF-8.`);
}
