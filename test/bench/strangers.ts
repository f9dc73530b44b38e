import { Agent, request } from 'node:http';
import { ARCH, SUITE, type ServedApi } from './served-api';

const READERS = 60;
const SECONDS = 15;
const SUBMITTERS = 4;

/** What everybody may see and takes the most to make. */
const PAGES = [
  '/',
  '/packages/',
  '/packages/p/',
  '/status/',
  `/status/${SUITE}/${ARCH}/?status=tmpfail`,
  `/data/status/${SUITE}/${ARCH}/packages.json`,
  `/data/status/${SUITE}/${ARCH}/history.json`,
  '/data/feeds/all-packages.xml',
];

/** How long submissions take while nobody reads, and while sixty connections without a key ask for the heaviest pages. */
export async function* amongStrangers(api: ServedApi): AsyncGenerator<string> {
  await api.keyWithResults(100_000);
  yield '| submissions | median ms | 95th percentile ms | at most ms | a second | pages a second, refused |';
  yield '| --- | --- | --- | --- | --- | --- |';
  for (const readers of [0, READERS, 0, READERS]) yield await round(api, readers);
}

async function round(api: ServedApi, readers: number): Promise<string> {
  const ended = new AbortController();
  const served = { pages: 0, refused: 0 };
  const reading = Array.from({ length: readers }, (_none, reader) => read(api, reader, served, ended.signal));
  const took = await submit(api, SECONDS * 1_000);
  ended.abort();
  await Promise.all(reading);
  took.sort((a, b) => a - b);
  const at = (share: number): string =>
    took[Math.min(took.length - 1, Math.floor(took.length * share))]!.toFixed(0);
  const name = readers === 0 ? 'alone' : `among ${readers} readers`;
  const rates = [took.length, served.pages, served.refused].map((count) => (count / SECONDS).toFixed(0));
  return `| ${name} | ${at(0.5)} | ${at(0.95)} | ${at(1)} | ${rates[0]} | ${rates[1]}, ${rates[2]} |`;
}

/** Each reader comes from a network of its own, so that the limit of a network does not help. */
async function read(
  api: ServedApi,
  reader: number,
  served: { pages: number; refused: number },
  ended: AbortSignal,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let turn = reader; !ended.aborted; turn += 1) {
    const status = await send(agent, `${api.url}${PAGES[turn % PAGES.length]}`, 'GET', {
      'X-Forwarded-For': `198.51.100.${reader}`,
      'Accept-Encoding': 'gzip',
    });
    if (status === 200) served.pages += 1;
    else served.refused += 1;
  }
  agent.destroy();
}

/** @returns how long each submission took, milliseconds */
async function submit(api: ServedApi, forMs: number): Promise<number[]> {
  const took: number[] = [];
  const endMs = performance.now() + forMs;
  const work = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < endMs) {
      const begunMs = performance.now();
      const status = await send(agent, `${api.url}/api/v1/test/${SUITE}/${ARCH}/hello`, 'POST', {
        'Auth-Key': api.key,
      });
      if (status !== 201) throw new Error(`a submission was answered ${status}`);
      took.push(performance.now() - begunMs);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: SUBMITTERS }, work));
  return took;
}

function send(agent: Agent, url: string, method: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, method, headers }, (message) => {
      message.on('error', reject);
      message.on('end', () => resolve(message.statusCode ?? 0));
      message.resume();
    });
    call.on('error', reject);
    call.end();
  });
}
