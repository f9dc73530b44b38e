import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import express from 'express';
import { accessLog } from './application';

it('the access log has one line for an answer, without its query and its headers', async () => {
  const lines = new EventEmitter();
  const logger = new Logger();
  jest.spyOn(logger, 'log').mockImplementation((line: unknown) => void lines.emit('line', line));
  const app = express();
  app.use(accessLog(logger), (_request, response) => void response.status(418).end());
  const server = createServer(app).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const line = once(lines, 'line');
    const path = `/api/v1/test?Auth-Key=pk_secret`;
    await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'Auth-Key': 'pk_secret' } });
    expect(await line).toEqual([expect.stringMatching(/^GET \/api\/v1\/test 418 \d+ ms -$/)]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
