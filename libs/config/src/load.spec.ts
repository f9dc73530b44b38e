import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostArchitecture, hostRelease } from './host';
import { loadConfiguration } from './load';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-config-'));
});

afterEach(() => rm(folder, { recursive: true }));

function load(env: NodeJS.ProcessEnv = {}) {
  return loadConfiguration({ PROCTOR_CONFIG: folder, PROCTOR_HOME: '/home/of/proctor', ...env });
}

async function problemsOf(file: string, text: string): Promise<string> {
  await writeFile(join(folder, file), text);
  return load().then(
    () => '',
    (error: Error) => error.message.replaceAll(`${folder}/`, ''),
  );
}

test('an empty folder gives the defaults, with the host named', async () => {
  const configuration = await load();
  expect(configuration.server.architectures).toEqual([hostArchitecture()]);
  expect(configuration.server.suites).toEqual([hostRelease()]);
  expect(configuration.server.storePath).toBe('/home/of/proctor/store');
  expect(configuration.worker.variants).toEqual({ autopkgtest: ['autopkgtest'] });
  expect(configuration.rejectList).toEqual({});
});

test('the shipped folder says what the defaults are', async () => {
  const shipped = await load({ PROCTOR_CONFIG: join(__dirname, '../../../config') });
  expect(shipped).toEqual(await load());
});

test('the environment overrides host and port', async () => {
  const { server } = await load({ PROCTOR_PORT: '9090', PROCTOR_HOST: '::1' });
  expect(server).toMatchObject({ host: '::1', port: 9090 });
  await expect(load({ PROCTOR_PORT: '80x' })).rejects.toThrow('PROCTOR_PORT: "80x" is not a port number');
});

test('a variant named by a path is looked for beside its configuration', async () => {
  await writeFile(
    join(folder, 'worker.yaml'),
    'variants: { mine: [./bin/mine, --fast], autopkgtest: [autopkgtest] }',
  );
  const { worker } = await load();
  expect(worker.variants).toEqual({
    mine: [join(folder, 'bin/mine'), '--fast'],
    autopkgtest: ['autopkgtest'],
  });
});

test.each([
  ['proctor.yaml', 'suites: []', 'proctor.yaml:1: suites: suites should not be empty'],
  ['proctor.yaml', 'suites:\n  - bad name', 'proctor.yaml:2: suites: each name is letters'],
  [
    'proctor.yaml',
    'api:\n  port: high',
    'proctor.yaml:2: api.port: port must be an integer number (found "high")',
  ],
  ['proctor.yaml', '\n\nsuits: [sid]', 'proctor.yaml:3: suits: property suits should not exist'],
  ['proctor.yaml', 'defaultBackend: lxc', 'proctor.yaml:1: defaultBackend: lxc is not among the backends'],
  [
    'proctor.yaml',
    'scheduler:\n  leaseRenewMs: 50000',
    'proctor.yaml:2: scheduler.leaseRenewMs: must be at most half',
  ],
  ['proctor.yaml', 'api: [', 'proctor.yaml: '],
  ['proctor.yaml', 'just text', 'proctor.yaml: a mapping of keys to values is expected'],
  ['worker.yaml', 'name: "a.b"', 'worker.yaml:1: name: name must match'],
  ['worker.yaml', 'variants:\n  mine: []', 'worker.yaml:2: variants: each name has a list'],
  ['apt-sources.yaml', 'x:\n  lines: [deb]', 'apt-sources.yaml:2: x.lines.0: not an apt source line: deb'],
  ['apt-sources.yaml', 'x:\n  lines: ["deb http://a.example/$(id) sid main"]', 'not an apt source line'],
  [
    'apt-sources.yaml',
    'x:\n  lines: [deb http://a.example sid main]\n  user: [a]',
    'apt-sources.yaml:3: x.user: unknown key',
  ],
  ['reject-list.yaml', 'a:\n  sid: ""', 'reject-list.yaml:2: a.sid: a mapping from each architecture'],
  [
    'reject-list.yaml',
    'a:\n  sid:\n    amd64:\n      "*": why',
    'reject-list.yaml:4: a.sid.amd64.*: the value',
  ],
  ['reject-list.yaml', '"*": {}', 'reject-list.yaml:1: *: a package cannot be *'],
])('%s with %j is refused with file, line and key', async (file, text, expected) => {
  expect(await problemsOf(file, text)).toContain(expected);
});

test('every problem of every file is listed at once', async () => {
  await writeFile(join(folder, 'proctor.yaml'), 'suits: 1\napi: { port: -1 }');
  const problems = (await problemsOf('worker.yaml', 'slots: 0')).split('\n');
  expect(problems).toHaveLength(3);
});
