import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { constants, createDeflateRaw } from 'node:zlib';
import type { ResultFileName } from '@proctor/contracts';
import { startApi, type RunningApi } from '@test/support/api';

const BLOCK_BYTES = 16 * 1024 * 1024;
const BLOCKS = 256;

let api: RunningApi;
let page: string;

/** 4 GiB of one letter in some 4 MB: one block of it, again and again. */
async function hugeLog(): Promise<Buffer> {
  const deflate = createDeflateRaw();
  const parts: Buffer[] = [];
  deflate.on('data', (part: Buffer) => parts.push(part));
  deflate.write(Buffer.alloc(BLOCK_BYTES, 'x'));
  await new Promise<void>((resolve) => deflate.flush(constants.Z_FULL_FLUSH, resolve));
  const block = Buffer.concat(parts.splice(0));
  deflate.end();
  await once(deflate, 'end');
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  // No reader gets as far as to what is checked at the end.
  const tail = Buffer.alloc(8);
  return Buffer.concat([head, ...Array.from({ length: BLOCKS }, () => block), ...parts, tail]);
}

beforeAll(async () => {
  // On a busy machine even a short answer may wait.
  api = await startApi({ server: { anonymousWaitMs: 60_000 } });
  const runId = await api.submit('huge');
  await api.start(runId);
  const bytes = BLOCK_BYTES * BLOCKS;
  // A worker may say what it likes of its log.
  const forged = {
    version: 1,
    bytes,
    lines: 1_000_000_000,
    blocks: [],
    sections: [],
    marks: [],
    marksTotal: 0,
  };
  const contents: [ResultFileName, Buffer][] = [
    ['log.gz', await hugeLog()],
    ['log-index.json', Buffer.from(JSON.stringify(forged))],
  ];
  const files: { name: ResultFileName; size: number }[] = [];
  for (const [name, content] of contents) {
    const expected = { size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
    await api.store.save(runId, 1, name, Readable.from([content]), expected);
    files.push({ name, size: content.length });
  }
  const outcome = { verdict: 'pass' as const, message: '', exitCode: 0, version: '1', durationSeconds: 1 };
  await api.commit([
    {
      kind: 'finish',
      runId,
      attempt: 1,
      attemptOutcome: 'finished',
      outcome: { ...outcome, files, tests: [] },
      worker: 'worker-1',
    },
  ]);
  page = `/packages/h/huge/bookworm/amd64/${runId}/log?from=900000000`;
});
afterAll(() => api.stop());

const look = async (): Promise<[number, boolean]> => {
  const response = await api.fetch(page, { headers: { Accept: 'text/html' } });
  return [response.status, (await response.text()).includes('takes too long to reach')];
};

it('a line far in a log of 4 GiB is given up, and twelve who ask for it leave room for others', async () => {
  const hogs = Array.from({ length: 12 }, look);
  const stranger = await api.fetch('/packages/h/huge/', { headers: { Accept: 'text/html' } });
  expect(stranger.status).toBe(200);
  expect(await Promise.all(hogs)).toEqual(Array(12).fill([422, true]));
});
