import type { Request, Response } from 'express';
import { multipartFields } from './multipart';

it('a multipart body whose Content-Type cannot be taken apart is refused', async () => {
  const headers = { 'content-type': 'multipart/form-data;[boundary=b', 'content-length': '7' };
  const fields = multipartFields({ headers } as Request, {} as Response, Buffer.from('--b--\r\n'));
  await expect(fields).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('Content-Type'),
  });
});
