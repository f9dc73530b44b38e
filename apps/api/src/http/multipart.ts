import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { badRequest } from './problem';
import type { Field } from './parameters';
import { utf8 } from './text';

const PARTS_MAX = 50;
const FIELD_NAME_BYTES_MAX = 100;

/**
 * The fields and files of a `multipart/form-data` body that was read before; a file counts as the field of its name.
 * Field names are flat: brackets in them build nothing.
 * @param body whole, already held within the body limit
 * @throws Problem 400 for a body that is malformed or has too many parts
 */
export async function multipartFields(request: Request, response: Response, body: Buffer): Promise<Field[]> {
  const options = {
    limits: {
      fieldSize: body.length,
      fileSize: body.length,
      parts: PARTS_MAX,
      fieldNameSize: FIELD_NAME_BYTES_MAX,
      fieldNestingDepth: 0,
    },
    streamHandler: (_request: Request, parser: NodeJS.WritableStream) => parser.end(body),
  };
  // The type definitions do not know streamHandler yet.
  const upload = multer(options);
  await new Promise<void>((resolve, reject) => {
    void upload.any()(request, response, (error: unknown) => {
      if (error) reject(badRequest(`The multipart body cannot be read: ${reasonOf(error)}.`));
      else resolve();
    });
  });
  const fields = request.body as Record<string, string | string[]> | undefined;
  // It passes over a body whose type it cannot take apart, and says nothing.
  if (!fields) throw badRequest('The multipart body cannot be read: its Content-Type is malformed.');
  const files = (request.files ?? []) as Express.Multer.File[];
  return [
    ...textFields(fields),
    ...files.map((file): Field => [file.fieldname, utf8(file.buffer, `The file ${file.fieldname}`)]),
  ];
}

function textFields(fields: Record<string, string | string[]>): Field[] {
  return Object.entries(fields).flatMap(([name, value]) => [value].flat().map((text): Field => [name, text]));
}

function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return error instanceof MulterError && error.field ? `${reason} (${error.field})` : reason;
}
