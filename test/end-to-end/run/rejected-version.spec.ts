import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { Client } from '@test/support/client';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { Marks, STUB_SUITE, stubConfiguration } from '@test/support/stub';

const arch = hostArchitecture();
const REJECTED = { hello: { '*': { [arch]: { '1.2-3': '' } } } };
const REJECTED_LATER = {
  world: { [STUB_SUITE]: { '*': { '2.0': '' } } },
  gone: { '*': { '*': { '*': '' } } },
};

let proctor: RunningProctor;
let client: Client;
let marks: Marks;

beforeAll(async () => {
  proctor = await startProctor({ config: { ...stubConfiguration(), rejectList: REJECTED } });
  client = Client.of(proctor);
});

afterAll(() => proctor?.stop());

beforeEach(async () => {
  marks = await Marks.make();
});
afterEach(() => marks?.remove());

const logged = (pattern: RegExp) =>
  Promise.all([proctor.output.line('api', pattern), proctor.output.line('scheduler', pattern)]);

/** A run whose runner writes its version and then waits for ever; its test would leave a mark. */
function stuck(name: string, version: string): Promise<number> {
  const trigger = `version:${version} wait-for:${marks.path('never')} append:${marks.path('tested')}`;
  return client.submitOne(STUB_SUITE, arch, { package: name, trigger });
}

async function expectRejected(name: string, version: string): Promise<void> {
  const run = await client.finished(await stuck(name, version));
  expect(run).toMatchObject({
    status: 'fail',
    version,
    message: `version ${version} of ${name} is on the reject list for ${STUB_SUITE}/${arch}`,
    exit_code: null,
    attempt: 1,
  });
  expect(await marks.count('tested')).toBe(0);
  expect(run.log_url).not.toBeNull();
}

const configuration = async (): Promise<{ loadedAt: string; problems: string[] } | undefined> => {
  const health = (await (await client.fetch('/health')).json()) as { configuration?: never };
  return health.configuration;
};

it('a rejected version is ended before its first test, any other is tested', async () => {
  await expectRejected('hello', '1.2-3');
  const other = { package: 'hello', trigger: `version:1.2-30 append:${marks.path('tested')}` };
  const run = await client.finished(await client.submitOne(STUB_SUITE, arch, other));
  expect(run).toMatchObject({ status: 'pass', version: '1.2-30' });
  expect(await marks.count('tested')).toBe(1);
});

it('a changed reject list is in use without a restart, for what waits and what is asked for', async () => {
  const before = await configuration();
  await proctor.configure('reject-list.yaml', REJECTED_LATER);
  await logged(/reject-list.yaml: added world testing\/\* 2.0, gone/);
  await expectRejected('world', '2.0');
  const list = await client.fetch('/api/v1/reject_list');
  expect(Object.keys((await list.json()) as object)).toEqual(['world', 'gone']);
  expect(await client.submit(STUB_SUITE, arch, [{ package: 'gone' }])).toEqual([]);
  const run = await client.finished(
    await client.submitOne(STUB_SUITE, arch, { package: 'hello', trigger: 'version:1.2-3' }),
  );
  expect(run.status).toBe('pass');
  const after = await configuration();
  expect(after?.problems).toEqual([]);
  expect(Date.parse(after?.loadedAt ?? '')).toBeGreaterThan(Date.parse(before?.loadedAt ?? ''));
});

it('a broken reject list changes nothing, and log and health say why until it is mended', async () => {
  const before = await configuration();
  await proctor.configure('reject-list.yaml', 'world: {}\nhello:\n  sid: [');
  await logged(/ERROR Configuration: .*config is NOT in use/);
  await logged(/ERROR Configuration: .*reject-list.yaml:3: Flow sequence/);
  expect(await configuration()).toEqual({
    loadedAt: before?.loadedAt,
    problems: [expect.stringMatching(/reject-list.yaml:3: Flow sequence/)],
    needsRestart: [],
  });
  expect(await (await fetch(`${proctor.url}/health`)).json()).toMatchObject({ ready: true, reasons: [] });
  expect(await (await client.fetch('/api/v1/reject_list')).json()).toEqual(REJECTED_LATER);
  await expectRejected('world', '2.0');
  await proctor.configure('reject-list.yaml', {});
  await logged(/reject-list.yaml: removed world .*gone/);
  expect((await configuration())?.problems).toEqual([]);
});

it('changed sources, limits and architectures are in use without a restart; a port is not', async () => {
  const item = { package: 'hello', 'extra-apt-sources': ['inner'] };
  await expect(client.submit(STUB_SUITE, arch, [item])).rejects.toThrow('400');
  const lines = ['deb http://mirror.example/debian inner main'];
  await proctor.configure('apt-sources.yaml', { inner: { lines }, other: { lines, users: ['nobody'] } });
  await logged(/apt-sources.yaml: added inner, other/);
  const runId = await client.submitOne(STUB_SUITE, arch, item);
  expect(await client.finished(runId)).toMatchObject({ status: 'pass', extra_apt_sources: ['inner'] });
  await expect(
    client.submit(STUB_SUITE, arch, [{ ...item, 'extra-apt-sources': ['other'] }]),
  ).rejects.toThrow('no source that admin may use');

  const yaml = await readFile(join(proctor.home.path, 'config', 'proctor.yaml'), 'utf8');
  const more = { architectures: [arch, 'sparc'], api: { itemsPerRequestMax: 1, host: '127.0.0.9' } };
  await proctor.configure('proctor.yaml', `${yaml}${stringify(more)}`);
  await logged(/proctor.yaml: api.host: "127.0.0.9" needs a restart; until then it is "127.0.0.1"/);
  await proctor.output.line('scheduler', /owns sparc/);
  expect(await client.submit(STUB_SUITE, 'sparc', [{ package: 'hello' }])).toHaveLength(1);
  await expect(client.submit(STUB_SUITE, arch, [item, item])).rejects.toThrow('1');
  await proctor.kill('scheduler', 'SIGHUP');
  await proctor.output.line('scheduler', /config is in use, and no value in use changes/);
});
