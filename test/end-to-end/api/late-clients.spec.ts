import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { peerMsUntil } from '@test/support/peer-clock';
import { sendRaw } from '@test/support/raw-http';
import { until } from '@test/support/until';

const LIST = '/api/v1/test/bookworm/amd64';
const PIECE_EVERY_MS = 20;
/** How long the api still reads a body that it has refused. */
const REFUSED_BODY_MS = 2_000;
/** Node gives a connection that is kept for its next request so much more time. */
const BUFFER_MS = 1_000;

const portOf = ({ url }: RunningApi): number => Number(new URL(url).port);

interface Ending {
  received: string;
  tookMs: number;
  /** This time on the clock of a sound peer. */
  peerMs: number;
}

/** Sends the beginning, then one piece after the other for as long as the server takes them, and the end once it has an answer. */
async function drip(port: number, beginning: string, piece: string, end = ''): Promise<Ending> {
  const started = performance.now();
  let received = '';
  const closed = new Promise<number>((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const socket: Socket = connect(port, '127.0.0.1', () => {
      socket.write(beginning);
      timer = setInterval(() => piece !== '' && socket.writable && socket.write(piece), PIECE_EVERY_MS);
    });
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      if (end !== '') socket.write(end);
    });
    // The server closes while we write.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearInterval(timer);
      resolve(performance.now() - started);
    });
  });
  return { peerMs: await peerMsUntil(closed), tookMs: await closed, received };
}

/** Node alone looks for late clients every 30 seconds. */
function expectEndAfter(limitMs: number, { tookMs, peerMs }: Ending): void {
  expect(tookMs).toBeGreaterThan(limitMs);
  expect(peerMs).toBeLessThan(2 * limitMs + BUFFER_MS);
}

describe('clients that are late', () => {
  let api: RunningApi;
  beforeAll(async () => {
    const times = { headersTimeoutMs: 600, requestTimeoutMs: 1_500, keepAliveMs: 1_200, socketIdleMs: 3_000 };
    api = await startApi({ server: { ...times, bodyBytesMax: 100_000 } });
  });
  afterAll(() => api.stop());

  const head = (more: string): string =>
    `POST ${LIST} HTTP/1.1\r\nHost: x\r\nAuth-Key: ${api.keys.alice}\r\nContent-Type: application/json\r\n${more}`;

  it('clients that are late with their headers are disconnected', async () => {
    const ending = await drip(portOf(api), head(''), 'X-A: b\r\n');
    expect(ending.received).toMatch(/^HTTP\/1\.1 408 /);
    expectEndAfter(600, ending);
  });

  it('clients that are late with their first byte, too', async () => {
    expectEndAfter(600, await drip(portOf(api), '', ''));
  });

  it('clients that are late with their body, too', async () => {
    const ending = await drip(portOf(api), head('Content-Length: 90000\r\n\r\n'), ' ');
    expect(ending.received).toMatch(/^HTTP\/1\.1 408 /);
    expectEndAfter(1_500, ending);
  });

  it('clients that are late may wait for an answer, until nothing has moved for too long', async () => {
    const now = Math.floor(Date.now() / 1000);
    const request = `GET /api/v1/test?since=${now}&wait=30 HTTP/1.1\r\nHost: x\r\nAuth-Key: ${api.keys.alice}\r\n\r\n`;
    expectEndAfter(2_900, await drip(portOf(api), request, ''));
  });

  it('answers say how long the connection stays open, for clients that are late with their next request', async () => {
    const ending = await drip(portOf(api), 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n', '');
    expect(ending.received).toMatch(/^Keep-Alive: timeout=1\r$/im);
    expectEndAfter(1_200, ending);
  });
});

describe('a body without an end', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi({ server: { bodyBytesMax: 100_000, refusedBodyMs: REFUSED_BODY_MS } });
  });
  afterAll(() => api.stop());

  const head = (more = '', key = api.keys.alice): string =>
    `POST ${LIST} HTTP/1.1\r\nHost: x\r\nAuth-Key: ${key}\r\n` +
    `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n${more}\r\n`;
  const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

  it('a body without an end is refused as soon as it is too large, and its connection is closed', async () => {
    const ending = await drip(portOf(api), head(), chunk(' '.repeat(10_000)));
    expect(ending.received).toMatch(/^HTTP\/1\.1 413 /);
    expect(ending.received).toMatch(/^Connection: close\r$/im);
    expect(ending.received).toMatch(/^Content-Type: application\/problem\+json/im);
    expect(ending.received).toContain('100000 bytes');
    expectEndAfter(REFUSED_BODY_MS, ending);
  });

  it('a body without an end is refused when it becomes too large by decompression', async () => {
    const { gzipSync } = await import('node:zlib');
    const bomb = gzipSync(Buffer.alloc(1_000_000)).toString('latin1');
    const bytes = Buffer.from(
      `${head('Content-Encoding: gzip\r\n')}${bomb.length.toString(16)}\r\n${bomb}\r\n`,
      'latin1',
    );
    expect((await sendRaw(portOf(api), bytes)).status).toBe(413);
  });

  it('a body without an end is not read for long when no client may send one', async () => {
    const { received, peerMs } = await drip(portOf(api), head('', 'wrong'), chunk(' '));
    expect(received).toMatch(/^HTTP\/1\.1 403 /);
    expect(peerMs).toBeLessThan(2 * REFUSED_BODY_MS);
  });

  it('a body without an end gives its room back at once', async () => {
    const room = { bodyBytesMax: 100_000, bodiesBytesMax: 100_000, bodyWaitMs: 1, refusedBodyMs: 15_000 };
    const small = await startApi({ server: room });
    try {
      let isOpen = true;
      const beginning = head('', small.keys.alice) + chunk(' '.repeat(100_001));
      const ending = drip(portOf(small), beginning, '').finally(() => (isOpen = false));
      const body = JSON.stringify(Array(2).fill({ package: 'hello', trigger: 'x'.repeat(45_000) }));
      const headers = { 'Content-Type': 'application/json' };
      const post = () => small.api('/test/bookworm/amd64', { method: 'POST', body, headers });
      await until(async () => (await post()).status === 201 || !isOpen);
      expect([isOpen, (await post()).status]).toEqual([true, 201]);
      expect((await ending).received).toMatch(/^HTTP\/1\.1 413 /);
    } finally {
      await small.stop();
    }
  });

  it('a body without an end whose client stops in time keeps nothing open', async () => {
    const beginning = `${head()}${chunk(' '.repeat(100_001))}`;
    const { received, peerMs } = await drip(portOf(api), beginning, '', '0\r\n\r\n');
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    expect(peerMs).toBeLessThan(REFUSED_BODY_MS);
  });
});
