import { PassThrough } from 'node:stream';
import type { Request, Response } from 'express';
import { FIELD_NAME_BYTES_MAX, multipartFields, PARTS_MAX } from './multipart';

it('a multipart body whose Content-Type cannot be taken apart is refused', async () => {
  const headers = { 'content-type': 'multipart/form-data;[boundary=b', 'content-length': '7' };
  const fields = multipartFields({ headers } as Request, {} as Response, Buffer.from('--b--\r\n'));
  await expect(fields).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('Content-Type'),
  });
});

it('a multipart body has bounds in parts and in the length of their names', async () => {
  const countFields = async (names: string[]) => {
    const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`;
    const body = Buffer.from(`${names.map(part).join('')}--b--\r\n`);
    const headers = {
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': String(body.length),
    };
    // Its body was read before.
    const request = Object.assign(new PassThrough().end().resume(), { headers }) as unknown as Request;
    return (await multipartFields(request, {} as Response, body)).length;
  };
  const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `a${n}`);
  expect(await countFields(names(PARTS_MAX - 1))).toBe(PARTS_MAX - 1);
  await expect(countFields(names(5_000))).rejects.toMatchObject({ status: 400 });
  expect(await countFields(['a'.repeat(FIELD_NAME_BYTES_MAX - 1)])).toBe(1);
  await expect(countFields(['a'.repeat(FIELD_NAME_BYTES_MAX + 1)])).rejects.toMatchObject({ status: 400 });
});
