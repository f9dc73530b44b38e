import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { packagePrefix } from '@proctor/contracts';
import { blockGzip, ERROR_PATTERNS, errorExpression, LogIndexer, logIndexText } from '@proctor/result-files';
import { FolderStore } from '@proctor/store';
import { Client } from 'pg';
import { generateFinishedRuns } from '@test/generator/finished-runs';
import { HttpClient } from '../client';
import { ARCH, Deployment, SUITE } from '../deployment';
import { percentile } from '../judging';
import type { Place } from '../place';
import type { Figure, Numbers, Row } from '../row';

const MB = 1_000_000;
/** Requests of each address in each round. */
const REQUESTS = 7;
const QUICK_REQUESTS = 2;
const NEEDLE = 'the only needle';

/** What is read of a log of so many lines; the needle is in its folded set-up, and the search ends behind its last line. */
const READ: Record<string, (lines: number) => string> = {
  page: () => '',
  'line in the middle': (lines) => `?from=${lines >> 1}`,
  'last lines': (lines) => `?from=${lines}`,
  search: () => `?q=${encodeURIComponent(NEEDLE)}`,
};

const figures: Figure[] = [
  ...Object.keys(READ).map((title): Figure => {
    const alone = { what: title, unit: 'ms', of: title };
    // A search reads the whole log.
    if (title === 'search') return { ...alone, mark: { atMost: 2_500 } };
    return { ...alone, against: title, mark: { atMost: 1.5 } };
  }),
  { what: 'page, first byte', unit: 'ms', of: 'first byte', mark: { atMost: 1_000 } },
  { what: 'page, elements', unit: '', of: 'elements', mark: { atMost: 10_000 } },
  { what: 'hits in the folded set-up', unit: '', of: 'hits', mark: { atLeast: 1 } },
];

export const logPage: Row = {
  name: 'log-page',
  what: 'the page of a log of 50 MB',
  against: 'the same of 1 MB',
  figures,
  rounds: 5,
  async open(place) {
    const logs = await LogPages.open(place);
    return {
      measured: () => logs.timed('long'),
      bare: () => logs.timed('short'),
      close: () => logs.close(),
    };
  },
};

type Size = 'long' | 'short';

class LogPages {
  private constructor(
    private readonly deployment: Deployment,
    private readonly client: HttpClient,
    private readonly logs: Record<Size, { path: string; lines: number }>,
    private readonly requests: number,
  ) {}

  static async open(place: Place): Promise<LogPages> {
    const storePath = await place.newFolder('store');
    const logs: Record<Size, { path: string; lines: number }> = {
      long: { path: '', lines: 0 },
      short: { path: '', lines: 0 },
    };
    const deployment = await Deployment.start(place, {
      server: { store: { path: storePath } },
      fill: async (databaseUrl) => {
        const database = new Client({ connectionString: databaseUrl });
        await database.connect();
        await generateFinishedRuns(database, {
          ...{ runs: 2_000, seed: 1, suites: [SUITE], architectures: [ARCH], packages: 50 },
          ...{ until: new Date(), days: 10 },
        });
        const runs = await failedRuns(database);
        const sizes = { long: place.size(50 * MB, 3 * MB), short: MB };
        for (const size of ['long', 'short'] as const)
          logs[size] = await storeLog(database, new FolderStore(storePath), runs.pop()!, sizes[size]);
        await database.end();
      },
    });
    return new LogPages(
      deployment,
      new HttpClient(deployment.url),
      logs,
      place.size(REQUESTS, QUICK_REQUESTS),
    );
  }

  async timed(size: Size): Promise<Numbers> {
    const { path, lines } = this.logs[size];
    const numbers: Numbers = {};
    for (const [title, query] of Object.entries(READ)) {
      const times: number[] = [];
      for (let index = 0; index < this.requests; index += 1) {
        const { totalMs, firstByteMs, text } = await this.client.mustGet(path + query(lines));
        times.push(totalMs);
        if (title === 'page') numbers['first byte'] = Math.max(numbers['first byte'] ?? 0, firstByteMs);
        if (title === 'page') numbers['elements'] = text.match(/<[a-z]/g)!.length;
        if (title === 'search') numbers['hits'] = text.split(`<code>${NEEDLE}</code>`).length - 1;
      }
      numbers[title] = percentile(times, 0.5);
    }
    return numbers;
  }

  async close(): Promise<void> {
    this.client.close();
    await this.deployment.stop();
  }
}

interface FailedRun {
  runId: number;
  attempt: number;
  package: string;
}

async function failedRuns(database: Client): Promise<FailedRun[]> {
  const { rows } = await database.query<FailedRun>(
    `select run_id::int as "runId", attempt, package from runs
     where verdict = 'fail' and not is_private and not cancelled and attempt > 0 order by run_id limit 2`,
  );
  return rows;
}

/** Stores a log as a worker does. @returns its page */
async function storeLog(
  database: Client,
  store: FolderStore,
  { runId, attempt, package: name }: FailedRun,
  bytes: number,
): Promise<{ path: string; lines: number }> {
  const indexer = new LogIndexer(errorExpression(ERROR_PATTERNS));
  const parts: Buffer[] = [];
  const pieces = blockGzip(Readable.from(logBytes(bytes)), (content, block) => indexer.add(content, block));
  for await (const part of pieces) parts.push(part);
  const index = indexer.end();
  const put = async (file: 'log.gz' | 'log-index.json', content: Buffer): Promise<void> => {
    const sha256 = createHash('sha256').update(content).digest('hex');
    await store.save(runId, attempt, file, Readable.from([content]), { size: content.length, sha256 });
  };
  const log = Buffer.concat(parts);
  await put('log.gz', log);
  await put('log-index.json', Buffer.from(logIndexText(index)));
  await database.query('update runs set log_size = $2 where run_id = $1', [runId, log.length]);
  await database.query('update attempts set log_size = $3 where run_id = $1 and attempt = $2', [
    ...[runId, attempt, log.length],
  ]);
  const path = `/packages/${packagePrefix(name)}/${name}/${SUITE}/${ARCH}/${runId}/log`;
  return { path, lines: index.lines };
}

/** A set-up, a test that fails in the middle of its output, and a summary. */
function* logBytes(bytes: number): Generator<Buffer> {
  const own = (text: string): string => `autopkgtest [12:34:56]: ${text}\n`;
  const line = (number: number): string =>
    `${number} Get:${number % 97} http://deb.example/debian sid/main amd64 package-${number * 7919} [${number % 512} kB]\n`;
  yield Buffer.from(`${own('@@@@@@@@@@@@@@@@@@@@ apt-source')}${NEEDLE}\n`);
  yield Buffer.from(own('test upstream: [-----------------------'));
  for (let [number, length] = [1, 0], isBroken = false; length < bytes;) {
    const lines: string[] = [];
    for (const end = number + 1_000; number < end; number += 1) lines.push(line(number));
    if (!isBroken && length > bytes / 2) lines.push('error: it broke\n');
    isBroken = length > bytes / 2;
    const piece = Buffer.from(lines.join(''));
    length += piece.length;
    yield piece;
  }
  yield Buffer.from(
    own('test upstream: -----------------------]') +
      own('test upstream:  - - - - - - - - - - results - - - - - - - - - -') +
      'upstream FAIL non-zero exit status 1\n' +
      own('@@@@@@@@@@@@@@@@@@@@ summary') +
      'upstream FAIL non-zero exit status 1\n',
  );
}
