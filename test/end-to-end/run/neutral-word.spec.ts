import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { Client } from '@test/support/client';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { silenceLog } from '@test/support/silent-log';
import { STUB_SUITE, stubConfiguration } from '@test/support/stub';
import { until } from '@test/support/until';

silenceLog();

const arch = hostArchitecture();
/** The stub ends as autopkgtest does when all tests were skipped. */
const PACKAGE = 'skip-hello';
const configuration = stubConfiguration();

let proctor: RunningProctor;
let client: Client;

beforeAll(async () => {
  proctor = await startProctor({ config: configuration });
  client = Client.of(proctor);
});
afterAll(() => proctor?.stop());

/** As an editor that keeps a whole file at every moment. */
async function sayNeutral(): Promise<void> {
  const file = join(proctor.home.path, 'config', 'proctor.yaml');
  await writeFile(`${file}.new`, stringify({ ...configuration.proctor, api: { neutral: 'neutral' } }));
  await rename(`${file}.new`, file);
  await proctor.output.line('api', /api\.neutral: .*neutral/);
}

interface Answer {
  status: number;
  etag: string;
  lastModified: string;
  body: string;
}

async function look(path: string, condition: Record<string, string> = {}): Promise<Answer> {
  // Without a word of the client's own about caches, fetch adds one that forbids a 304.
  const response = await fetch(proctor.url + path, {
    headers: { 'Cache-Control': 'max-age=0', ...condition },
  });
  const header = (name: string): string => response.headers.get(name) ?? '';
  const body = await response.text();
  return { status: response.status, etag: header('ETag'), lastModified: header('Last-Modified'), body };
}

it('no client gets the answer that nothing changed when the word for neutral did', async () => {
  const runId = await client.submitOne(STUB_SUITE, arch, { package: PACKAGE });
  await client.finished(runId);
  // Figures of the day are made when a scheduler begins, and then after half a minute.
  await proctor.kill('scheduler', 'SIGTERM');
  await proctor.restart('scheduler');
  const place = `${STUB_SUITE}/${arch}`;
  /** They contain more than results, so they have no time: settled when they have this text. */
  const timeless: Record<string, string> = {
    [`/packages/s/${PACKAGE}/${place}/${runId}/`]: PACKAGE,
    '/status/': `1 pass on ${place}`,
  };
  const paths = [
    `/data/packages/${place}/s/${PACKAGE}/latest.json`,
    `/data/packages/${place}/s/${PACKAGE}/history.json`,
    `/data/status/${place}/packages.json`,
    `/data/status/${place}/status.json`,
    `/data/status/${place}/history.json`,
    `/packages/s/${PACKAGE}/`,
    `/packages/s/${PACKAGE}/${place}/`,
    `/status/${place}/`,
    ...Object.keys(timeless),
  ];
  const before = new Map<string, Answer>();
  for (const path of paths) {
    // Until rows of that time can no longer appear, the time alone is not relied upon.
    const isSettled = async (): Promise<boolean> => {
      const answer = await look(path);
      before.set(path, answer);
      const text = timeless[path];
      if (text !== undefined) return answer.lastModified === '' && answer.body.includes(text);
      return (await look(path, { 'If-Modified-Since': answer.lastModified })).status === 304;
    };
    expect([path, await until(isSettled)]).toEqual([path, true]);
    expect((await look(path, { 'If-None-Match': before.get(path)!.etag })).status).toBe(304);
  }
  await sayNeutral();
  for (const [path, { etag, lastModified, body }] of before) {
    const since: Record<string, string> = path in timeless ? {} : { 'If-Modified-Since': lastModified };
    for (const condition of [{}, { 'If-None-Match': etag }, since]) {
      const answer = await look(path, condition);
      expect([path, condition, answer.status]).toEqual([path, condition, 200]);
      expect([path, answer.etag]).not.toEqual([path, etag]);
      expect([path, answer.body]).not.toEqual([path, body]);
      expect([path, answer.body]).toEqual([path, expect.stringContaining('neutral')]);
    }
  }
});
