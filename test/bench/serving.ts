import { Agent, request } from 'node:http';
import { ARCH, SUITE, type ServedApi } from './served-api';

interface Served {
  status: number;
  bytes: number;
  /** Milliseconds from the beginning. */
  firstByteMs: number;
  totalMs: number;
}

const ROUNDS = 5;

/** What clients of the api wait for: rows of a table in Markdown. */
export async function* serving(api: ServedApi): AsyncGenerator<string> {
  const agent = new Agent({ keepAlive: true });
  try {
    yield '| what | median | of rounds (min, max) |\n| --- | --- | --- |';
    for (const items of [100, 1_000, 5_000, 20_000]) yield await lists(api, agent, items);
    for (const connections of [1, 8]) yield await singles(api, connections);
    yield await emptyPoll(api, agent);
    for (const rows of [10_000, 50_000]) yield* results(api, agent, rows);
  } finally {
    agent.destroy();
  }
}

async function lists(api: ServedApi, agent: Agent, items: number): Promise<string> {
  const body = JSON.stringify(
    Array.from({ length: items }, (_, index) => ({ package: `package${index}`, trigger: `bench/${index}` })),
  );
  const speeds = await rounds(ROUNDS, async () => {
    const { totalMs } = await post(api, agent, `/test/${SUITE}/${ARCH}`, body);
    return (items / totalMs) * 1000;
  });
  return row(`list of ${items} items, items/s`, speeds, 0);
}

async function singles(api: ServedApi, connections: number): Promise<string> {
  const requests = 600;
  const speeds = await rounds(ROUNDS, async () => {
    const startedAt = performance.now();
    let left = requests;
    const work = async (): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while ((left -= 1) >= 0) await post(api, agent, `/test/${SUITE}/${ARCH}/hello`, '');
      agent.destroy();
    };
    await Promise.all(Array.from({ length: connections }, work));
    return (requests / (performance.now() - startedAt)) * 1000;
  });
  return row(
    `single POSTs at ${connections} connection${connections === 1 ? '' : 's'}, requests/s`,
    speeds,
    0,
  );
}

async function emptyPoll(api: ServedApi, agent: Agent): Promise<string> {
  const path = `/test?since=${Math.floor(Date.now() / 1000) + 1_000}`;
  const times = await rounds(200, async () => (await send(api, agent, 'GET', path, api.key)).totalMs);
  return row('empty poll, ms', times, 1);
}

async function* results(api: ServedApi, agent: Agent, rows: number): AsyncGenerator<string> {
  const key = await api.keyWithResults(rows);
  for (const encoding of ['identity', 'gzip']) {
    const answers: Served[] = [];
    await api.resetPeak();
    const before = await api.peakMiB();
    await rounds(ROUNDS, async () => {
      answers.push(await send(api, agent, 'GET', '/test?since=0', key, '', { 'Accept-Encoding': encoding }));
      return 0;
    });
    const what = `${rows} results, ${encoding}`;
    yield row(
      `${what}, s`,
      answers.map(({ totalMs }) => totalMs / 1000),
      2,
    );
    yield row(
      `${what}, first byte ms`,
      answers.map(({ firstByteMs }) => firstByteMs),
      0,
    );
    yield `| ${what}, bytes | ${answers[0]!.bytes} | |`;
    yield `| ${what}, resident memory of the api at most, MiB | ${(await api.peakMiB()).toFixed(0)} | before: ${before.toFixed(0)} |`;
  }
}

async function post(api: ServedApi, agent: Agent, path: string, body: string): Promise<Served> {
  const answer = await send(api, agent, 'POST', path, api.key, body, { 'Content-Type': 'application/json' });
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}`);
  return answer;
}

function send(
  api: ServedApi,
  agent: Agent,
  method: string,
  path: string,
  key: string,
  body = '',
  headers: Record<string, string> = {},
): Promise<Served> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    const all = { 'Auth-Key': key, ...headers, ...(method === 'POST' && length) };
    const call = request(`${api.url}/api/v1${path}`, { agent, method, headers: all }, (message) => {
      let bytes = 0;
      let firstByteMs = NaN;
      message.on('data', (chunk: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - startedAt;
        bytes += chunk.length;
      });
      message.on('error', reject);
      message.on('end', () => {
        const totalMs = performance.now() - startedAt;
        resolve({ status: message.statusCode ?? 0, bytes, firstByteMs, totalMs });
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** One more round comes before, and does not count. */
async function rounds(count: number, measure: () => Promise<number>): Promise<number[]> {
  await measure();
  const values: number[] = [];
  for (let round = 0; round < count; round += 1) values.push(await measure());
  return values;
}

function row(what: string, values: number[], digits: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  const [min, median, max] = [sorted[0]!, sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!];
  const text = (value: number): string => value.toFixed(digits);
  return `| ${what} | ${text(median)} | (${text(min)}, ${text(max)}) |`;
}
