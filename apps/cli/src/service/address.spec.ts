import { mkdtemp, rm, stat, chmod, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../failure';
import { namedService, readServiceUrl } from './address';
import { Contexts } from './context-file';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'proctor-contexts-'))));
afterEach(() => rm(folder, { recursive: true }));

const env = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({ XDG_CONFIG_HOME: folder, ...more });

it('a service is named by the option, then the environment, then the context in use, whatever the machine has itself', async () => {
  const contexts = await Contexts.read(env());
  await contexts.add('first', { url: 'http://first', key: 'k1' });
  await contexts.add('second', { url: 'http://second', key: 'k2' });
  const addressOf = async (context: string | undefined, more: NodeJS.ProcessEnv = {}) =>
    (await namedService(context === undefined ? {} : { context }, env(more)))?.url ?? null;
  const environment = { PROCTOR_URL: 'http://said/', PROCTOR_API_KEY: 'k3' };
  expect(await addressOf('second', environment)).toBe('http://second');
  expect(await addressOf(undefined, { ...environment, PROCTOR_CONTEXT: 'second' })).toBe('http://said');
  expect(await addressOf(undefined, { PROCTOR_CONTEXT: 'second', PROCTOR_HOME: '/x' })).toBe('http://second');
  expect(await addressOf(undefined, { PROCTOR_HOME: '/x' })).toBe('http://first');
  expect(await addressOf(undefined, { PROCTOR_DATABASE_URL: 'postgres://x' })).toBe('http://first');
  expect(await addressOf(undefined)).toBe('http://first');
  await contexts.use('second');
  expect(await addressOf(undefined)).toBe('http://second');
  await contexts.remove('second');
  expect(await addressOf(undefined)).toBeNull();
});

it('an address without a key beside a database is that of the services of this machine, which has no name', async () => {
  const own = { PROCTOR_URL: 'http://api:8080', PROCTOR_DATABASE_URL: 'postgres://x' };
  expect(await namedService({}, env(own))).toBeNull();
  expect(await namedService({}, env({ ...own, PROCTOR_API_KEY: 'k' }))).toMatchObject({ key: 'k' });
});

it('an address without a key, an unknown context and a bad name are refused, and it is said what to do', async () => {
  await expect(namedService({}, env({ PROCTOR_URL: 'http://x' }))).rejects.toMatchObject({
    code: EXIT.key,
    message: 'PROCTOR_API_KEY is not set, but PROCTOR_URL is',
  });
  await expect(namedService({ context: 'gone' }, env())).rejects.toMatchObject({
    code: EXIT.usage,
    advice: 'add it: proctor context add gone --url URL',
  });
  const contexts = await Contexts.read(env());
  await expect(contexts.add('../x', { url: 'http://x', key: 'k' })).rejects.toMatchObject({
    code: EXIT.usage,
  });
});

it('contexts are kept for their owner alone, and not read when others may', async () => {
  const contexts = await Contexts.read(env());
  await contexts.add('here', { url: 'http://x', key: 'k' });
  expect((await stat(contexts.path)).mode & 0o777).toBe(0o600);
  await chmod(contexts.path, 0o644);
  await expect(Contexts.read(env())).rejects.toMatchObject({
    code: EXIT.key,
    advice: `make it yours alone: chmod 600 ${contexts.path}`,
  });
});

it.each(['{', '[]', '{"contexts": {"x": 5}}'])(
  'a file of contexts that has %s is not guessed at',
  async (text) => {
    const contexts = await Contexts.read(env());
    await contexts.add('here', { url: 'http://x', key: 'k' });
    await writeFile(contexts.path, text);
    await expect(Contexts.read(env())).rejects.toThrow('is no list of contexts');
  },
);

it.each(['example.org', 'ftp://x', 'http://user@x', 'http://x?a=b', ''])(
  '%p is no address of a service',
  (text) => {
    expect(() => readServiceUrl(text, '--url')).toThrow(/^--url must be http:/);
  },
);

it('an address may have a path, and no slash at its end', () => {
  expect(readServiceUrl('https://example.org/ci//', '--url')).toBe('https://example.org/ci');
});
