import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { SUITE, type ServedApi } from './served-api';

export const ARCHITECTURES = ['amd64', 'arm64', 'i386', 'riscv64'];
export const SCHEDULERS = 2;

const LIST_LENGTH_MAX = 5_000;
const TRIGGER = 'bench/many';
const LOOK_EVERY_MS = 100;

/** How long somebody waited, in milliseconds, one number for each time. */
type Waits = number[];

/**
 * Submits so many runs, and cancels them by one request once the dispatchers have taken them in, while another client
 * submits single runs: rows of a table in Markdown.
 * @throws Error when a request is not answered as it should be, when one of the runs goes on, or when an architecture
 * changes its owner
 */
export async function* cancelling(api: ServedApi, runs: number): AsyncGenerator<string> {
  const books = new Client({ connectionString: api.databaseUrl });
  await books.connect();
  try {
    const settled = () => count(books, `select count(*) from runs where state = 'queued' and not taken_in`);
    yield '| what | of | measured |\n| --- | --- | --- |';
    const submitting = performance.now();
    await submitAll(api, runs);
    yield `| ${runs} runs on ${ARCHITECTURES.length} architectures | submitted in s | ${seconds(submitting)} |`;
    await untilNone(settled);
    yield `| taken in by ${SCHEDULERS} schedulers | s after the first | ${seconds(submitting)} |`;
    const owners = await ownersOf(books);
    const work = new AbortController();
    const waits = keepSubmitting(api, work.signal);
    const start = performance.now();
    const cancelled = await cancelAll(api);
    const answered = seconds(start);
    if (cancelled !== runs) throw new Error(`${cancelled} of ${runs} runs were cancelled`);
    yield `| ${runs} runs cancelled by one request | answered with 200 after s | ${answered} |`;
    await untilNone(() => count(books, 'select count(*) from orders where not taken_in'));
    yield `| the orders of it taken in | s after the request | ${seconds(start)} |`;
    work.abort();
    yield row(await waits);
    const later = await ownersOf(books);
    if (later !== owners) throw new Error(`the owners were ${owners}, and then ${later}`);
    yield `| architectures that changed their owner | | 0 |`;
  } finally {
    await books.end();
  }
}

async function submitAll(api: ServedApi, runs: number): Promise<void> {
  for (let from = 0; from < runs; from += LIST_LENGTH_MAX) {
    const length = Math.min(LIST_LENGTH_MAX, runs - from);
    const items = Array.from({ length }, (_none, place) => ({
      package: `package${from + place}`,
      trigger: TRIGGER,
    }));
    const arch = ARCHITECTURES[(from / LIST_LENGTH_MAX) % ARCHITECTURES.length]!;
    await post(api, `/test/${SUITE}/${arch}`, items, 201);
  }
}

/** @returns how many runs it ended */
async function cancelAll(api: ServedApi): Promise<number> {
  const answer = (await post(api, '/test/cancel', { trigger: TRIGGER }, 200)) as { cancelled: number[] };
  return answer.cancelled.length;
}

async function keepSubmitting(api: ServedApi, ended: AbortSignal): Promise<Waits> {
  const waits: Waits = [];
  for (let place = 0; !ended.aborted; place += 1) {
    const start = performance.now();
    const arch = ARCHITECTURES[place % ARCHITECTURES.length]!;
    await post(api, `/test/${SUITE}/${arch}/other`, {}, 201);
    waits.push(performance.now() - start);
    // Leaves the processor to others: a client that never rests measures itself.
    await delay(10);
  }
  return waits;
}

async function post(api: ServedApi, path: string, body: object, expected: number): Promise<unknown> {
  const response = await fetch(`${api.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'Auth-Key': api.key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== expected)
    throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function untilNone(left: () => Promise<number>): Promise<void> {
  while ((await left()) > 0) await delay(LOOK_EVERY_MS);
}

async function count(books: Client, statement: string): Promise<number> {
  return Number((await books.query<{ count: string }>(statement)).rows[0]!.count);
}

/** Each architecture with its owner and epoch, which rises with each new ownership. */
async function ownersOf(books: Client): Promise<string> {
  const { rows } = await books.query('select arch, owner, epoch from dispatchers order by arch');
  return JSON.stringify(rows);
}

function row(waits: Waits): string {
  const sorted = [...waits].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? NaN).toFixed(0);
  return `| submission meanwhile of ${waits.length}, all 201: median, 95 of 100, longest | ms | ${at(0.5)}, ${at(0.95)}, ${at(1)} |`;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
