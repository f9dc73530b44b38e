import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ConformanceInstance } from '@test/support/conformance-instance';
import { PATIENCE_MS } from '@test/support/until';
import type { Instance, Result } from '@test/conformance/instance';

const run = promisify(execFile);
const ITEMS = 5_000;

/** As the release team's software reads a time: the last five characters are cut off, whatever they are. */
const STRPTIME = `
import datetime, json, sys
times = json.load(open(sys.argv[1]))
for x in times:
    datetime.datetime.strptime(x[:-5], '%Y-%m-%dT%H:%M:%S')
print(len(times))
`;

let service: ConformanceInstance;
let instance: Instance;
let folder: string;

beforeAll(async () => {
  service = await ConformanceInstance.start();
  instance = service.seenAt();
  folder = await mkdtemp(join(tmpdir(), 'proctor-britney-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service?.stop();
});

async function curl(...args: string[]): Promise<string> {
  const key = `Auth-Key: ${instance.options.key}`;
  const options = ['--fail', '--silent', '--header', key];
  const { stdout } = await run('curl', [...options, ...args], { maxBuffer: 256 * 1024 * 1024 });
  return stdout;
}

async function submit(arch: string, items: object[]): Promise<string> {
  const file = join(folder, 'tests.json');
  await writeFile(file, JSON.stringify(items));
  // The base of an address may end in a slash.
  const address = `${instance.options.base}//api/v1/test/${instance.suite}/${arch}`;
  return curl('--form', `tests=@${file}`, address);
}

async function since(time: number): Promise<{ until: number; results: Result[] }> {
  const text = await curl(`${instance.options.base}/api/v1/test?since=${time}`);
  return JSON.parse(text) as { until: number; results: Result[] };
}

async function readTimes(results: Result[]): Promise<void> {
  const times = results.flatMap((result) => [result.updated_at, result.created_at, result.date]);
  const knownTimes = times.filter((time) => time !== null);
  const file = join(folder, 'times.json');
  await writeFile(file, JSON.stringify(knownTimes));
  const { stdout } = await run('python3', ['-c', STRPTIME, file]);
  expect(Number(stdout)).toBe(knownTimes.length);
}

it('5,000 items in a file, and the results of all of them by polling', async () => {
  const before = Math.floor(Date.now() / 1000) - 1;
  const items = Array.from({ length: ITEMS }, (_, index) => ({
    package: `source${index}`,
    trigger: `green/${index}`,
    'pin-packages': [[`src:green,src:source${index}`, instance.options.otherSuite]],
  }));
  await submit(instance.options.idleArch!, items);
  const { until, results } = await since(before);
  expect(results.map((result) => [result.package, result.trigger])).toEqual(
    items.map((item) => [item.package, item.trigger]),
  );
  expect(results.every((result) => result.status === null)).toBe(true);
  expect(until).toBeGreaterThanOrEqual(before);
  await readTimes(results);
});

it('reference runs, whose results come by feeding until back as since', async () => {
  let next = Math.floor(Date.now() / 1000) - 1;
  const names = ['good', 'fail-reference', 'broken-reference', 'skip-reference', 'missing-reference'];
  await submit(
    instance.arch,
    names.map((name) => ({ package: name, trigger: 'migration-reference/0' })),
  );
  const last = new Map<string, Result>();
  const end = performance.now() + PATIENCE_MS;
  while (names.some((name) => (last.get(name)?.status ?? null) === null)) {
    if (performance.now() > end) throw new Error(`still unfinished: ${JSON.stringify([...last.values()])}`);
    const { until, results } = await since(next);
    for (const result of results) {
      // One unknown word would end the release team's whole run.
      expect([null, 'pass', 'fail', 'tmpfail']).toContain(result.status);
      expect(result.trigger?.split(' ')[0]).toMatch(/^[^/ ]+\/[^/ ]+$/);
      last.set(result.package, result);
    }
    await readTimes(results);
    next = until;
  }
  expect(names.map((name) => last.get(name)?.status)).toEqual(['pass', 'fail', 'tmpfail', 'pass', 'fail']);
  expect(names.map((name) => typeof last.get(name)?.version)).toEqual(names.map(() => 'string'));
});

it('a refused request makes curl fail', async () => {
  await expect(submit('no-such-architecture', [{ package: 'hello' }])).rejects.toMatchObject({ code: 22 });
});
