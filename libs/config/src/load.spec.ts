import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { ConfigurationFolder, TEST_HOME } from '@test/support/configuration-folder';
import { hostArchitecture, hostRelease } from './host';
import { loadConfiguration } from './load';
import { ConfigurationError } from './yaml-file';

const folder = new ConfigurationFolder();

const load = (env: NodeJS.ProcessEnv = {}) => loadConfiguration({ ...folder.env, ...env });

async function problemsOf(file: string, text: string): Promise<string> {
  await folder.write(file, text);
  return load().then(
    () => '',
    (error: Error) => error.message.replaceAll(`${folder.path}/`, ''),
  );
}

it('an empty folder gives the defaults, with the host named', async () => {
  const configuration = await load();
  expect(configuration.server.architectures).toEqual([hostArchitecture()]);
  expect(configuration.server.suites).toEqual([hostRelease()]);
  expect(configuration.store).toEqual({ kind: 'folder', path: join(TEST_HOME, 'store') });
  expect(configuration.worker.variants).toEqual({ autopkgtest: ['autopkgtest'] });
  expect(configuration.rejectList).toEqual({});
});

it('the shipped folder says what the defaults are', async () => {
  const shipped = await load({ PROCTOR_CONFIG: join(__dirname, '../../../config') });
  expect(shipped).toEqual(await load());
});

it('a bucket has the keys of its kind', async () => {
  await folder.write(
    'proctor.yaml',
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
    answerBytesMax: 1_048_576,
    partBytes: 5_242_880,
  });
});

const withLinks = (links: string): string => `api: { packageLinks: [${links}] }`;

it('links of packages are taken with what they name', async () => {
  const url = 'https://tracker.example.org/{suite}/{arch}/{package}?v={version}';
  const archive = 'http://past.example.org/{time}/';
  const links = `{ name: tracker, url: "${url}" }, { name: past, url: "${url}", archive: "${archive}" }`;
  await folder.write('proctor.yaml', withLinks(links));
  expect((await load()).server.packageLinks).toEqual([
    { name: 'tracker', url },
    { name: 'past', url, archive },
  ]);
});

it.each([
  [
    'suites of Debian',
    'suites: [unstable, trixie-backports]',
    ['Tracker', 'Bugs', 'Sources', 'Sources', 'Changelog', 'Builds', 'Snapshots', 'Snapshots'],
  ],
  ['a suite of another archive beside one of Debian', 'suites: [sid, otter]', []],
  ['suites of Debian and an empty list', 'suites: [sid]\napi: { packageLinks: [] }', []],
])('a deployment with %s has links to the sites that know its packages', async (_, text, names) => {
  await folder.write('proctor.yaml', text);
  expect((await load()).server.packageLinks.map(({ name }) => name)).toEqual(names);
});

it.each([
  ['{ name: a }', 'packageLinks.0.url: '],
  ['{ url: "https://a.example/" }', 'packageLinks.0.name: '],
  ['{ name: a, url: "https://a.example/{user}" }', 'may have {package}, {suite}, {arch}, {version}'],
  ['{ name: a, url: "https://{package}.example/" }', 'packageLinks.0.url: '],
  ['{ name: a, url: "https://me:secret@a.example/" }', 'packageLinks.0.url: '],
  ['{ name: a, url: "javascript:alert(1)" }', 'url must be an address with https:// or http://'],
  ['{ name: a, url: "https://a b/" }', 'packageLinks.0.url: '],
  ['{ name: a, url: "https://a.example/", archive: "https://a.example/" }', 'archive must be an address'],
  [
    '{ name: a, url: "https://a.example/" }, { name: a, url: "https://a.example/" }',
    'each link needs a name or an address of its own',
  ],
])('the links of packages %s are refused', async (links, problem) => {
  expect(await problemsOf('proctor.yaml', withLinks(links))).toContain(problem);
});

it.each(['""', '"a\\nb"', 'x'.repeat(41)])(
  'the name of the service is a line of 40 characters, not %s',
  async (name) => {
    const problem = 'serviceName is one line of 1 to 40 characters';
    expect(await problemsOf('proctor.yaml', `api: { serviceName: ${name} }`)).toContain(problem);
  },
);

const PROVIDER = 'id: example, label: Example, issuer: https://login.example.org, clientId: proctor';
const withProviders = (providers: string): string => `api: { login: { providers: [${providers}] } }`;

it('a login provider has defaults, and its secret a place in the home', async () => {
  await folder.write('proctor.yaml', withProviders(`{ ${PROVIDER}, clientSecretFile: login/example }`));
  expect((await load()).server.login).toEqual({
    password: true,
    passwordPolicy: { lengthMin: 12, ownCharactersMin: 8, differentCharactersMin: 5 },
    providerWaitMs: 10_000,
    providers: [
      {
        id: 'example',
        label: 'Example',
        issuer: 'https://login.example.org',
        clientId: 'proctor',
        clientSecretFile: join(TEST_HOME, 'login/example'),
        scopes: ['openid', 'profile', 'email'],
        nameClaim: 'preferred_username',
      },
    ],
  });
});

it.each([
  ['{ id: a }', 'providers.0.label: '],
  [`{ ${PROVIDER}, secret: x }`, 'providers.0.secret: property secret should not exist'],
  [`{ ${PROVIDER} }, { ${PROVIDER} }`, 'each provider needs an id of its own'],
  [`{ ${PROVIDER.replace('id: example', 'id: a/b')} }`, 'id must be at most 40 lower-case letters'],
  [`{ ${PROVIDER.replace('https', 'http')} }`, 'http is for this machine alone'],
  [`{ ${PROVIDER.replace('login.', 'me:pw@')} }`, 'without query, fragment and password'],
  [`{ ${PROVIDER}, scopes: [profile] }`, 'providers.0.scopes: openid is missing'],
  [`{ ${PROVIDER}, mayLogIn: { claim: groups } }`, 'providers.0.mayLogIn.values: '],
  [`{ ${PROVIDER}, administrators: { claim: groups, values: [] } }`, 'administrators.values: '],
])('a login provider that could not be used is refused: %s', async (provider, problem) => {
  expect(await problemsOf('proctor.yaml', withProviders(provider))).toContain(problem);
});

it('a login provider on this machine may do without https', async () => {
  for (const host of ['localhost:5000', '127.0.0.1', '[::1]:80']) {
    const provider = PROVIDER.replace('https://login.example.org', `"http://${host}"`);
    expect(await problemsOf('proctor.yaml', withProviders(`{ ${provider} }`))).toBe('');
  }
});

it('a login by nothing at all is refused', async () => {
  expect(await problemsOf('proctor.yaml', 'api: { login: { password: false } }')).toContain(
    'login.password: no user could log in, since no providers are configured',
  );
});

it('all problems of the file are reported together', async () => {
  const problems = await problemsOf('proctor.yaml', 'defaultBackend: qemu\nstore: { kind: s3 }');
  expect(problems).toContain('defaultBackend: qemu is not among');
  expect(problems).toContain('store: bucket is missing');
});

it('nested sections are taken, and what they leave out is the default', async () => {
  const text = `scheduler:
  retry: { delayMs: 5 }
  fairShare: { weights: { ci: 2.5, constructor: 3 } }
  caps: { perPackageMax: 4 }
  sizeClasses: { big: [linux, gcc-*, '*'], constructor: [g++] }`;
  await folder.write('proctor.yaml', text);
  await folder.write('worker.yaml', 'sizeClasses: [big]');
  const { scheduler, worker } = await load();
  expect(scheduler.retry).toEqual({ attemptsMax: 3, delayMs: 5, delayMaxMs: 600_000 });
  expect(scheduler.fairShare.weights).toEqual({ ci: 2.5, constructor: 3 });
  expect(scheduler.sizeClasses).toEqual({ big: ['linux', 'gcc-*', '*'], constructor: ['g++'] });
  expect(worker.sizeClasses).toEqual(['big']);
  // A reader that has a default for a cap spreads the caps over it.
  expect({ perRequestorMax: Infinity, ...scheduler.caps }).toEqual({
    perRequestorMax: Infinity,
    perPackageMax: 4,
  });
});

it('the environment overrides host and port', async () => {
  const { server } = await load({ PROCTOR_PORT: '9090', PROCTOR_HOST: '::1' });
  expect(server).toMatchObject({ host: '::1', port: 9090 });
  await expect(load({ PROCTOR_PORT: '80x' })).rejects.toThrow('PROCTOR_PORT: "80x" is not a port number');
});

it('a variant named by a path is looked for beside its configuration', async () => {
  await folder.write('worker.yaml', 'variants: { mine: [./bin/mine, --fast], autopkgtest: [autopkgtest] }');
  const { worker } = await load();
  expect(worker.variants).toEqual({
    mine: [join(folder.path, 'bin/mine'), '--fast'],
    autopkgtest: ['autopkgtest'],
  });
});

it('every problem of every file is listed at once', async () => {
  await folder.write('proctor.yaml', 'suits: 1\napi: { port: -1 }');
  const problems = (await problemsOf('worker.yaml', 'slots: 0')).split('\n');
  expect(problems).toHaveLength(3);
});

it('a file that cannot be read does not hide the problems of the others', async () => {
  await mkdir(join(folder.path, 'worker.yaml'));
  await folder.write('apt-sources.yaml', '{');
  const problems = (await problemsOf('proctor.yaml', 'suits: 1')).split('\n');
  expect(problems).toEqual([
    'proctor.yaml:1: suits: property suits should not exist (found 1); did you mean suites?',
    expect.stringMatching(/^worker.yaml: EISDIR/),
    expect.stringMatching(/^apt-sources.yaml:1: /),
  ]);
});

it('a folder that is not there is named once', async () => {
  const absentFolder = join(folder.path, 'gone');
  await expect(load({ PROCTOR_CONFIG: absentFolder })).rejects.toThrow(
    new RegExp(`^${absentFolder}: is not a folder$`),
  );
});

it('what may be a password is not repeated', async () => {
  const line = 'deb https://user:secret@mirror.example sid main contrib $(id)';
  await folder.write('apt-sources.yaml', `x:\n  lines: ["${line}"]`);
  const problems = await problemsOf(
    'worker.yaml',
    `suiteSources:\n  sid: ["${line}", 1]\nname: "a:secret@b"`,
  );
  for (const name of ['x.lines.0', 'suiteSources', 'name']) expect(problems).toContain(`: ${name}: `);
  expect(problems).not.toContain('secret');
});

it('a value may be written once and meant often', async () => {
  const packages = Array.from({ length: 5_000 }, (_, index) => `p${index}: *all`);
  const all = 'p0: &all { "*": { "*": { "*": "" } } }';
  await folder.write('reject-list.yaml', [all, ...packages.slice(1)].join('\n'));
  expect((await load()).rejectList).toHaveProperty(['p4999', '*', '*', '*'], '');
});

it('versions of the reject list are taken as written', async () => {
  await folder.write('reject-list.yaml', 'hello:\n  "*":\n    amd64: { 1.10: "", 1:2.3-4: }');
  const { rejectList } = await load();
  expect(rejectList).toEqual({ hello: { '*': { amd64: { '1.10': '', '1:2.3-4': '' } } } });
});

it('whatever a file holds, it is taken or refused with its problems', async () => {
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
      await folder.write(name, content);
      await load().catch((error: unknown) => expect(error).toBeInstanceOf(ConfigurationError));
      await rm(join(folder.path, name));
    }),
  );
});
