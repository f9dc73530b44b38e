import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { hostArchitecture, hostRelease } from './host';
import { loadConfiguration } from './load';
import { ConfigurationError } from './yaml-file';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-config-'));
});

afterEach(() => rm(folder, { recursive: true }));

function load(env: NodeJS.ProcessEnv = {}) {
  return loadConfiguration({ PROCTOR_CONFIG: folder, PROCTOR_HOME: '/home/of/proctor', ...env });
}

/** Each line holds the one before it ten times. */
function laughs(depth: number): string {
  const lines = Array.from({ length: depth }, (_, n) => `x${n + 1}: &x${n + 1} [${`*x${n},`.repeat(10)}]`);
  return ['x0: &x0 [ha]', ...lines].join('\n');
}

async function problemsOf(file: string, text: string): Promise<string> {
  await writeFile(join(folder, file), Buffer.from(text, 'latin1'));
  return load().then(
    () => '',
    (error: Error) => error.message.replaceAll(`${folder}/`, ''),
  );
}

test('an empty folder gives the defaults, with the host named', async () => {
  const configuration = await load();
  expect(configuration.server.architectures).toEqual([hostArchitecture()]);
  expect(configuration.server.suites).toEqual([hostRelease()]);
  expect(configuration.store).toEqual({ kind: 'folder', path: '/home/of/proctor/store' });
  expect(configuration.worker.variants).toEqual({ autopkgtest: ['autopkgtest'] });
  expect(configuration.rejectList).toEqual({});
});

test('the shipped folder says what the defaults are', async () => {
  const shipped = await load({ PROCTOR_CONFIG: join(__dirname, '../../../config') });
  expect(shipped).toEqual(await load());
});

test('a bucket has the keys of its kind', async () => {
  await writeFile(
    join(folder, 'proctor.yaml'),
    'store: { kind: s3, endpoint: "http://s3.example:7480", bucket: results, prefix: ci/, pathStyle: false }',
  );
  expect((await load()).store).toEqual({
    kind: 's3',
    endpoint: 'http://s3.example:7480',
    region: 'us-east-1',
    bucket: 'results',
    prefix: 'ci/',
    pathStyle: false,
    connectionsMax: 200,
    connectTimeoutMs: 5_000,
    answerTimeoutMs: 60_000,
    idleTimeoutMs: 300_000,
    partBytes: 5_242_880,
  });
});

test('every problem of the file is told at once', async () => {
  const problems = await problemsOf('proctor.yaml', 'defaultBackend: qemu\nstore: { kind: s3 }');
  expect(problems).toContain('defaultBackend: qemu is not among');
  expect(problems).toContain('store: bucket is missing');
});

test('nested sections are taken, and what they leave out is the default', async () => {
  const text = `scheduler:
  retry: { delayMs: 5 }
  fairShare: { weights: { ci: 2.5, constructor: 3 } }
  caps: { perPackageMax: 4 }
  sizeClasses: { big: [linux, gcc-*, '*'], constructor: [g++] }`;
  await writeFile(join(folder, 'proctor.yaml'), text);
  await writeFile(join(folder, 'worker.yaml'), 'sizeClasses: [big]');
  const { scheduler, worker } = await load();
  expect(scheduler.retry).toEqual({ attemptsMax: 3, delayMs: 5, delayMaxMs: 600_000 });
  expect(scheduler.fairShare.weights).toEqual({ ci: 2.5, constructor: 3 });
  expect(scheduler.sizeClasses).toEqual({ big: ['linux', 'gcc-*', '*'], constructor: ['g++'] });
  expect(worker.sizeClasses).toEqual(['big']);
  // Whoever has a default for a cap spreads the caps over it.
  expect({ perRequestorMax: Infinity, ...scheduler.caps }).toEqual({
    perRequestorMax: Infinity,
    perPackageMax: 4,
  });
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
  ['proctor.yaml', 'suites:\n  - bad name', 'proctor.yaml:1: suites: each name is letters'],
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
  ['proctor.yaml', 'api:\n  host: [', 'proctor.yaml:2: Flow sequence in block collection must be'],
  ['proctor.yaml', 'suites: [sid]\nsuites: [sid]', 'proctor.yaml:2: suites: is there twice'],
  ['proctor.yaml', 'suites: !names [sid]', 'proctor.yaml:1: Unresolved tag: !names'],
  ['proctor.yaml', 'suites: [sid]\nbackends: *s', 'proctor.yaml:2: *s stands for nothing'],
  ['worker.yaml', 'variants: &v\n  a: [*v]', 'worker.yaml:2: *v contains itself'],
  ['worker.yaml', laughs(6), 'worker.yaml: Excessive alias count'],
  ['proctor.yaml', '? [a]\n: 1', 'proctor.yaml:1: a key is a name'],
  ['proctor.yaml', 'suites: [sid]\n---\nsuites: [sid]', 'proctor.yaml:2: Source contains multiple documents'],
  ['proctor.yaml', 'api:\n  - host', 'proctor.yaml:1: api: api must be an object'],
  ['proctor.yaml', 'scheduler: soon', 'proctor.yaml:1: scheduler: '],
  ['proctor.yaml', 'api:', 'proctor.yaml:1: api: '],
  ['proctor.yaml', 'api:\n  prot: 80', 'proctor.yaml:2: api.prot: property prot should not exist (found 80)'],
  ['proctor.yaml', 'store: { path: "" }', 'proctor.yaml:1: store.path: path should not be empty'],
  ['proctor.yaml', '\nstore: { kind: s3 }', 'proctor.yaml:2: store: bucket is missing: the kind s3 needs it'],
  ['proctor.yaml', 'store: { kind: s3, bucket: A }', 'proctor.yaml:1: store.bucket: bucket must match'],
  [
    'proctor.yaml',
    'store: { endpoint: "s3.example" }',
    'proctor.yaml:1: store.endpoint: endpoint must be a URL',
  ],
  [
    'proctor.yaml',
    'store: { endpoint: "http://a:b@s3.example" }',
    'proctor.yaml:1: store.endpoint: endpoint must',
  ],
  [
    'proctor.yaml',
    'store: { prefix: ci }',
    'proctor.yaml:1: store.prefix: prefix must be empty or names that',
  ],
  [
    'proctor.yaml',
    'store: { partBytes: 1 }',
    'proctor.yaml:1: store.partBytes: partBytes must not be less than',
  ],
  ['proctor.yaml', 'api: { host: "caf\xe9" }', 'proctor.yaml: is not UTF-8'],
  ['proctor.yaml', 'just text', 'proctor.yaml: a mapping of keys to values is expected'],
  ['proctor.yaml', 'api:\n  bodyBytesMax: 999999999', 'proctor.yaml:1: api.bodiesBytesMax: must be at least'],
  ['proctor.yaml', 'api:\n\n  socketIdleMs: 60000', 'proctor.yaml:3: api.socketIdleMs: must be longer than'],
  [
    'proctor.yaml',
    'scheduler:\n  retry:\n    attemptsMax: 0',
    'proctor.yaml:3: scheduler.retry.attemptsMax: attemptsMax must not be less than 1 (found 0)',
  ],
  [
    'proctor.yaml',
    'scheduler:\n  retry:\n    attempts: 2',
    'proctor.yaml:3: scheduler.retry.attempts: property attempts should not exist (found 2)',
  ],
  ['proctor.yaml', 'scheduler: { attemptsMax: 2 }', 'proctor.yaml:1: scheduler.attemptsMax: property'],
  ['proctor.yaml', 'scheduler:\n  blame: 3', 'proctor.yaml:2: scheduler.blame: '],
  ['proctor.yaml', 'scheduler:\n  caps:', 'proctor.yaml:2: scheduler.caps: '],
  [
    'proctor.yaml',
    'scheduler:\n  caps:\n    perSuiteMax: 0.5',
    'proctor.yaml:3: scheduler.caps.perSuiteMax: perSuiteMax must be an integer number (found 0.5)',
  ],
  [
    'proctor.yaml',
    'scheduler:\n  ageing: { stepsMax: 10 }',
    'proctor.yaml:2: scheduler.ageing.stepsMax: stepsMax must not be greater than 9 (found 10)',
  ],
  [
    'proctor.yaml',
    'scheduler:\n  retry:\n    delayMs: 9000\n    delayMaxMs: 8000',
    'proctor.yaml:4: scheduler.retry.delayMaxMs: must be at least delayMs',
  ],
  [
    'proctor.yaml',
    'scheduler:\n  blame: { quarantineMaxMs: 1 }',
    'proctor.yaml:2: scheduler.blame.quarantineMaxMs: must be at least quarantineMs',
  ],
  ...['{ ci: 0 }', '{ ci: 1001 }', '{ ci: "2" }', '{ "a b": 2 }'].map((weights) => [
    'proctor.yaml',
    `scheduler:\n  fairShare:\n    weights: ${weights}`,
    'proctor.yaml:3: scheduler.fairShare.weights: each user has a weight above 0 and at most 1000',
  ]),
  ...['{ big: linux }', '{ big: [Linux] }', '{ big: ["a*b"] }', '{ "a b": [linux] }'].map((classes) => [
    'proctor.yaml',
    `scheduler:\n  sizeClasses: ${classes}`,
    'proctor.yaml:2: scheduler.sizeClasses: each class has a list of package names, which may end in *',
  ]),
  ['worker.yaml', 'sizeClasses: big', 'worker.yaml:1: sizeClasses: '],
  [
    'worker.yaml',
    'sizeClasses: [1]',
    'worker.yaml:1: sizeClasses: each value in sizeClasses must be a string',
  ],
  ['worker.yaml', 'name: "a.b"', 'worker.yaml:1: name: name must match'],
  ['worker.yaml', 'variants:\n  mine: []', 'worker.yaml:1: variants: each name has a list'],
  ['apt-sources.yaml', 'x:\n  lines: [deb]', 'apt-sources.yaml:2: x.lines.0: is not an apt source line'],
  [
    'apt-sources.yaml',
    'x:\n  lines:\n    - deb http://a.example sid main\n    - deb http://a.example/$(id) sid main',
    'apt-sources.yaml:4: x.lines.1: is not an apt source line',
  ],
  ['apt-sources.yaml', '- deb http://a.example sid main', 'apt-sources.yaml: a mapping of source names'],
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
  ['reject-list.yaml', '"*": {}', 'reject-list.yaml:1: *: is not a valid package'],
  ['reject-list.yaml', 'a+b:\n  s/d: {}', 'reject-list.yaml:2: a+b.s/d: is not a valid suite'],
  ['reject-list.yaml', 'ab: { sid: { AMD: {} } }', 'ab.sid.AMD: is not a valid architecture'],
  ['reject-list.yaml', 'ab: { sid: { "*": { "1 0": "" } } }', 'ab.sid.*.1 0: is not a valid version'],
  ['reject-list.yaml', '- hello', 'reject-list.yaml: a mapping from each package is expected'],
])('%s with %j is refused with file, line and key', async (file, text, expected) => {
  expect(await problemsOf(file, text)).toContain(expected);
});

test('every problem of every file is listed at once', async () => {
  await writeFile(join(folder, 'proctor.yaml'), 'suits: 1\napi: { port: -1 }');
  const problems = (await problemsOf('worker.yaml', 'slots: 0')).split('\n');
  expect(problems).toHaveLength(3);
});

test('a file that cannot be read does not hide the problems of the others', async () => {
  await mkdir(join(folder, 'worker.yaml'));
  await writeFile(join(folder, 'apt-sources.yaml'), '{');
  const problems = (await problemsOf('proctor.yaml', 'suits: 1')).split('\n');
  expect(problems).toEqual([
    'proctor.yaml:1: suits: property suits should not exist (found 1)',
    expect.stringMatching(/^worker.yaml: EISDIR/),
    expect.stringMatching(/^apt-sources.yaml:1: /),
  ]);
});

test('a folder that is not there is named once', async () => {
  const gone = join(folder, 'gone');
  await expect(load({ PROCTOR_CONFIG: gone })).rejects.toThrow(new RegExp(`^${gone}: is not a folder$`));
});

test('what may be a password is not repeated', async () => {
  const line = 'deb https://user:secret@mirror.example sid main contrib $(id)';
  await writeFile(join(folder, 'apt-sources.yaml'), `x:\n  lines: ["${line}"]`);
  const problems = await problemsOf(
    'worker.yaml',
    `suiteSources:\n  sid: ["${line}", 1]\nname: "a:secret@b"`,
  );
  for (const name of ['x.lines.0', 'suiteSources', 'name']) expect(problems).toContain(`: ${name}: `);
  expect(problems).not.toContain('secret');
});

test('a value may be written once and meant often', async () => {
  const packages = Array.from({ length: 5_000 }, (_, index) => `p${index}: *all`);
  const all = 'p0: &all { "*": { "*": { "*": "" } } }';
  await writeFile(join(folder, 'reject-list.yaml'), [all, ...packages.slice(1)].join('\n'));
  expect((await load()).rejectList).toHaveProperty(['p4999', '*', '*', '*'], '');
});

test('versions of the reject list are taken as written', async () => {
  await writeFile(join(folder, 'reject-list.yaml'), 'hello:\n  "*":\n    amd64: { 1.10: "", 1:2.3-4: }');
  const { rejectList } = await load();
  expect(rejectList).toEqual({ hello: { '*': { amd64: { '1.10': '', '1:2.3-4': '' } } } });
});

test('whatever a file holds, it is taken or refused with its problems', async () => {
  const value = fc.jsonValue({ maxDepth: 4 }).map((json) => JSON.stringify(json));
  const keys = fc.constantFrom('api', 'suites', 'scheduler', 'variants', 'x', '__proto__', 'constructor');
  const text = fc.oneof(
    value,
    fc.string(),
    fc.dictionary(keys, fc.jsonValue()).map((json) => JSON.stringify(json)),
  );
  const file = fc.constantFrom('proctor.yaml', 'worker.yaml', 'apt-sources.yaml', 'reject-list.yaml');
  await fc.assert(
    fc.asyncProperty(file, text, async (name, content) => {
      await writeFile(join(folder, name), content);
      await load().catch((error: unknown) => expect(error).toBeInstanceOf(ConfigurationError));
      await rm(join(folder, name));
    }),
  );
});
