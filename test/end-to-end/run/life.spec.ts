import { writeFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { connectBus } from '@proctor/bus';
import type { Fact } from '@proctor/contracts';
import { Client } from '@test/support/client';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { Marks, STUB_SUITE, stubConfiguration } from '@test/support/stub';

const arch = hostArchitecture();
const HOUR_MS = 3_600_000;

let proctor: RunningProctor;
let client: Client;
let marks: Marks;

beforeAll(async () => {
  marks = await Marks.make();
  // No poll within the test: only the command can wake the dispatcher, and only a signal the slots.
  proctor = await startProctor({
    config: stubConfiguration({ arrivalPollMs: HOUR_MS, askAgainMs: HOUR_MS, retry: { delayMs: 100 } }),
  });
  client = Client.of(proctor);
});

afterAll(async () => {
  await proctor?.stop();
  await marks?.remove();
});

it('a run asked for is executed at once and read back with its result', async () => {
  const before = await client.since(0);
  const runId = await client.submitOne(STUB_SUITE, arch, { package: 'hello', trigger: 'version:2.10-3' });
  const run = await client.finished(runId);
  expect(run).toMatchObject({
    package: 'hello',
    status: 'pass',
    version: '2.10-3',
    exit_code: 0,
    attempt: 1,
    state: 'finished',
    trigger: 'version:2.10-3',
  });
  for (const time of [run.created_at, run.updated_at, run.date])
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { until, results } = await client.since(before.until);
  const { reasons: _reasons, facts: _facts, tests: _tests, image: _image, ...result } = run;
  expect(results.find((other) => other.run_id === runId)).toEqual(result);
  expect(Number.isInteger(until)).toBe(true);
});

it('a run that has not finished is returned with a null status, then with its result', async () => {
  const go = marks.path('go');
  const runId = await client.submitOne(STUB_SUITE, arch, { package: 'fail-slow', trigger: `wait-for:${go}` });
  await client.runThat(runId, (run) => run.state === 'running');
  const pending = (await client.since(0)).results.find((run) => run.run_id === runId);
  expect(pending).toMatchObject({ status: null, date: null, version: null, duration_seconds: null });
  await writeFile(go, '');
  expect(await client.finished(runId)).toMatchObject({ status: 'fail', exit_code: 4, version: '1.0-1' });
  const final = (await client.since(0)).results.find((run) => run.run_id === runId);
  expect(final?.status).toBe('fail');
});

it('a run that smells of infrastructure is tried again, and the API and the events have its whole story', async () => {
  const runId = await client.submitOne(STUB_SUITE, arch, { package: 'broken-story', is_private: true });
  expect(await client.finished(runId)).toMatchObject({ status: 'tmpfail', attempt: 3, exit_code: 16 });
  const attempts = [1, 2, 3].flatMap((attempt) => [
    ['granted', 'leased', attempt],
    attempt < 3 ? ['requeued', 'queued', attempt] : ['finished', 'finished', attempt],
  ]);
  const story = [['requested', 'queued', 0], ...attempts];
  const facts = (await client.run(runId)).facts as {
    id: number;
    kind: string;
    state: string;
    attempt: number;
  }[];
  // The report of a start may come after that of the end, and then says nothing new.
  const others = facts.filter(({ kind }) => kind !== 'started');
  expect(others.map(({ kind, state, attempt }) => [kind, state, attempt])).toEqual(story);

  const bus = await connectBus(await proctor.users.operator());
  const events: Fact[] = [];
  for await (const event of bus.readEvents(arch)) {
    if (event.runId === runId) events.push(event);
    if (events.at(-1)?.kind === 'finished') break;
  }
  await bus.close();
  expect(events.at(-1)).toMatchObject({ arch, suite: STUB_SUITE, verdict: 'tmpfail' });
  expect(events.map(({ kind }) => kind)).toEqual(facts.map(({ kind }) => kind));
  // The API numbers the facts of each run: their own ids would show how many others there are.
  expect(facts.map(({ id }) => id)).toEqual(facts.map((_, place) => place + 1));
  const ids = events.map(({ factId }) => factId);
  expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
  expect(JSON.stringify(events)).not.toContain('broken-story');
});

it('log and artifacts are there as soon as the result is, without a key', async () => {
  const runId = await client.submitOne(STUB_SUITE, arch, {
    package: 'libwords',
    trigger: 'lines:20000 artifact:5000',
  });
  const run = await client.finished(runId);
  expect(run.log_url).toBe(`/data/autopkgtest/${STUB_SUITE}/${arch}/libw/libwords/${runId}/log.gz`);
  const log = await fetch(`${proctor.url}${run.log_url}`);
  expect(log.headers.get('content-encoding')).toBe('gzip');
  const text = await log.text();
  expect(text).toContain('stub: libwords begins');
  expect(text).toContain('line 20000 of the stub');
  const artifacts = await fetch(`${proctor.url}${run.artifacts_url}`);
  expect(artifacts.headers.get('content-type')).toBe('application/gzip');
  expect(gunzipSync(Buffer.from(await artifacts.arrayBuffer())).toString('latin1')).toContain(
    'testpkg-version',
  );
  const latest = await fetch(`${proctor.url}/data/packages/${STUB_SUITE}/${arch}/libw/libwords/latest.json`);
  expect(await latest.json()).toMatchObject({ run_id: runId, status: 'pass' });
  const same = await fetch(
    `${proctor.url}/data/packages/${STUB_SUITE}/${arch}/libw/libwords/latest-autopkgtest/log.gz`,
  );
  expect(await same.text()).toBe(text);
});

it('many runs at once are each executed once, high priority first', async () => {
  const mark = marks.path('many');
  const items = Array.from({ length: 40 }, (_, index) => ({
    package: `many${String(index).padStart(2, '0')}`,
    trigger: `append:${mark}`,
    priority: 1 + (index % 2) * 9,
  }));
  const ids = await client.submit(STUB_SUITE, arch, items);
  for (const id of ids) expect(await client.finished(id)).toMatchObject({ status: 'pass', attempt: 1 });
  const executed = await marks.lines('many');
  expect(executed).toHaveLength(40);
  // Two slots run side by side, so the last of high priority and the first of low may change places.
  expect(executed.slice(0, 18).every((line) => Number(/^many(\d+)/.exec(line)?.[1]) % 2 === 1)).toBe(true);
});
