import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import type { ByteField } from './form-reader';
import { badRequest } from './problem';
import { inSlices, type SlicedWork } from './slices';

export const PARTS_MAX = 50;
export const FIELD_NAME_BYTES_MAX = 100;
/** Bytes that are parsed at a time. */
const PIECE_BYTES = 64 * 1024;

/**
 * The fields and files of a `multipart/form-data` body in memory; a file counts as the field of its name. Brackets in
 * field names have no meaning.
 * @param body the whole body, within the limit
 * @throws Problem 400 for a malformed body, or one with too many parts
 */
export async function multipartFields(
  request: Request,
  response: Response,
  body: Buffer,
): Promise<ByteField[]> {
  let isOver = false;
  const options = {
    limits: {
      fieldSize: body.length,
      fileSize: body.length,
      parts: PARTS_MAX,
      fieldNameSize: FIELD_NAME_BYTES_MAX,
      fieldNestingDepth: 0,
    },
    streamHandler: (_request: Request, parser: NodeJS.WritableStream) =>
      void inSlices(writeSlices(body, parser, () => isOver)),
  };
  // The type definitions do not know streamHandler yet.
  const upload = multer(options);
  await new Promise<void>((resolve, reject) => {
    void upload.any()(request, response, (error: unknown) => {
      isOver = true;
      if (error) reject(badRequest(`The multipart body cannot be read: ${reasonOf(error)}.`));
      else resolve();
    });
  });
  const fields = request.body as Record<string, string | string[]> | undefined;
  // The parser ignores a body with a malformed type without an error.
  if (!fields) throw badRequest('The multipart body cannot be read: its Content-Type is malformed.');
  const files = (request.files ?? []) as Express.Multer.File[];
  return [...textFields(fields), ...files.map((file): ByteField => [file.fieldname, file.buffer])];
}

/** @param isOver true once an error of the body is known */
function* writeSlices(body: Buffer, parser: NodeJS.WritableStream, isOver: () => boolean): SlicedWork<void> {
  for (let from = 0; from < body.length && !isOver(); from += PIECE_BYTES) {
    parser.write(body.subarray(from, from + PIECE_BYTES));
    yield;
  }
  parser.end();
}

function textFields(fields: Record<string, string | string[]>): ByteField[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((text): ByteField => [name, Buffer.from(text)]),
  );
}

function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return error instanceof MulterError && error.field ? `${reason} (${error.field})` : reason;
}
