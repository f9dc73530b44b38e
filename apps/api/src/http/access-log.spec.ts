import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { Logger } from '@nestjs/common';
import express from 'express';
import { accessLog, gatherWrites } from './access-log';

it('the access log has one line for an answer, without its query and its headers', async () => {
  const lines = new EventEmitter();
  const logger = new Logger();
  jest.spyOn(logger, 'log').mockImplementation((line: unknown) => void lines.emit('line', line));
  const app = express();
  const log = accessLog(undefined, logger);
  app.use((request, response) => {
    log(request, response);
    response.status(418).end();
  });
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

/** An output that keeps what comes to it, a piece for each write. */
function output() {
  const writes: string[] = [];
  const writable = new Writable({
    decodeStrings: false,
    writev: (chunks, callback) => {
      writes.push(chunks.map(({ chunk }) => chunk as string).join(''));
      callback();
    },
  });
  return { writes, writable };
}

it('lines of the log leave together, in their order', async () => {
  const { writes, writable } = output();
  const gather = gatherWrites(writable, () => undefined);
  for (const line of ['a', 'b', 'c']) {
    gather();
    writable.write(line);
  }
  writable.write('a warning');
  expect(writes).toEqual([]);
  await new Promise<void>((resolve) => writable.write('', () => resolve()));
  expect(writes).toEqual(['abca warning']);
});

it('lines of the log that wait are written when the process ends, once', () => {
  const { writes, writable } = output();
  let end = (): void => undefined;
  const gather = gatherWrites(writable, (write) => void (end = write));
  end();
  gather();
  writable.write('last');
  end();
  end();
  expect(writes).toEqual(['last']);
});
