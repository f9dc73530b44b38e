import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { candidates, chooseNatsServer, NatsServerMissing, type NatsSources } from './nats-binary';

it('nats-server is looked for on the PATH first, then where Debian puts it, each place once', () => {
  expect(candidates('/opt/bin:/usr/sbin::/usr/bin')).toEqual([
    '/opt/bin/nats-server',
    '/usr/sbin/nats-server',
    '/usr/bin/nats-server',
    '/usr/local/sbin/nats-server',
    '/usr/local/bin/nats-server',
  ]);
});

describe('choices', () => {
  let root: string;
  let lines: string[];
  let fetches: (string | null)[];
  let sources: NatsSources;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'nats-choice-'));
    // As root another user executes it.
    await chmod(root, 0o711);
    [lines, fetches] = [[], []];
    sources = {
      folder: join(root, 'fetched'),
      own: [ownPath(), join(root, 'second')],
      proxyVariables: [],
      download: fetch,
    };
  });
  afterEach(() => rm(root, { recursive: true }));

  const ownPath = (): string => join(root, 'own');
  const fetchedPath = (): string => join(root, 'fetched/usr/sbin/nats-server');

  /** Debian release → the version of its nats-server, or the error of the download. */
  let debian: { forky?: string; own?: string };
  beforeEach(() => (debian = { forky: '2.15.1', own: '2.9.10' }));

  async function fetch(release: string | null): Promise<void> {
    fetches.push(release);
    const version = release === null ? debian.own : debian[release as 'forky'];
    if (version === undefined) throw new Error('Could not resolve host\nsome more words');
    await put(fetchedPath(), version);
  }

  async function put(path: string, version: string, mode = 0o755): Promise<string> {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `#!/bin/sh\necho nats-server: v${version}\n`);
    await chmod(path, mode);
    return path;
  }

  const choose = () => chooseNatsServer(sources, (line) => lines.push(line));

  it('a nats-server that is named is taken, whatever else there is, and nothing is fetched', async () => {
    await put(ownPath(), '2.16.0');
    sources.ownPath = await put(join(root, 'named'), '2.9.10');
    expect(await choose()).toEqual({ path: sources.ownPath, version: '2.9.10' });
    expect(fetches).toEqual([]);
    expect(lines).toEqual([
      `taking nats-server 2.9.10 (${sources.ownPath}), which PROCTOR_NATS_SERVER names; older than 2.12.6: for a private network only`,
    ]);
  });

  it.each([
    ['is not there', async () => Promise.resolve(join(root, 'none')), /\/none cannot be executed/],
    ['cannot be executed', () => put(join(root, 'named'), '2.15.1', 0o644), /\/named cannot be executed/],
    ['is too old', () => put(join(root, 'named'), '2.9.9'), /\/named is nats-server 2\.9\.9.*2\.9\.10/],
    ['is something else', () => put(join(root, 'named'), 'ery odd'), /\/named prints no version/],
  ])('a named nats-server that %s is refused, and no other is taken', async (_how, make, message) => {
    await put(ownPath(), '2.15.1');
    sources.ownPath = await make();
    const failure = await choose().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NatsServerMissing);
    expect((failure as Error).message).toMatch(message);
    expect((failure as Error).message).toMatch(/^PROCTOR_NATS_SERVER: /);
    expect(fetches).toEqual([]);
  });

  it("the machine's own nats-server is taken at once when it is safe", async () => {
    await put(ownPath(), '2.12.6');
    expect(await choose()).toEqual({ path: ownPath(), version: '2.12.6' });
    expect(fetches).toEqual([]);
    expect(lines).toEqual([`taking nats-server 2.12.6 (${ownPath()}), this machine's own`]);
  });

  it('the nats-server that was fetched earlier is taken at once when it is safe', async () => {
    await put(fetchedPath(), '2.15.1');
    await put(ownPath(), '2.10.27');
    expect(await choose()).toEqual({ path: fetchedPath(), version: '2.15.1' });
    expect(fetches).toEqual([]);
    expect(lines).toEqual([`taking nats-server 2.15.1 (${fetchedPath()}), fetched earlier`]);
  });

  it('the newest nats-server of those that are there is taken, not the first', async () => {
    await put(fetchedPath(), '2.15.1');
    await put(ownPath(), '2.9.10');
    const second = await put(join(root, 'second'), '2.16.0');
    expect((await choose()).path).toBe(second);
  });

  it('a preliminary version of nats-server counts as older than the version', async () => {
    await put(ownPath(), '2.12.6-RC.1');
    expect((await choose()).version).toBe('2.15.1');
  });

  it.each([
    ['there is none', null],
    ["the machine's own is not patched", '2.9.10'],
    ["the machine's own is too old to be used", '2.1.0'],
  ])('the nats-server of forky is fetched when %s', async (_how, own) => {
    if (own) await put(ownPath(), own);
    expect(await choose()).toEqual({ path: fetchedPath(), version: '2.15.1' });
    expect(fetches).toEqual(['forky']);
    expect(lines).toEqual([
      "fetching nats-server of Debian's forky",
      expect.stringMatching(/^taking nats-server 2\.15\.1 \(.*fetched\/.*\), fetched from Debian's forky$/),
    ]);
  });

  it('a nats-server is not fetched a second time', async () => {
    await choose();
    await choose();
    expect(fetches).toEqual(['forky']);
  });

  it('a nats-server that an earlier version of Proctor fetched and that is not patched is replaced', async () => {
    await put(fetchedPath(), '2.9.10');
    expect((await choose()).version).toBe('2.15.1');
  });

  it("the machine's own nats-server is taken, with one line of warning, when forky cannot be had", async () => {
    await put(ownPath(), '2.10.27');
    delete debian.forky;
    expect(await choose()).toEqual({ path: ownPath(), version: '2.10.27' });
    expect(lines).toEqual([
      "fetching nats-server of Debian's forky",
      "warning: nats-server of Debian's forky cannot be had: Could not resolve host",
      `taking nats-server 2.10.27 (${ownPath()}), this machine's own; older than 2.12.6: for a private network only`,
    ]);
  });

  it("the nats-server of the machine's own release is fetched when forky cannot be had and there is none", async () => {
    delete debian.forky;
    expect((await choose()).version).toBe('2.9.10');
    expect(fetches).toEqual(['forky', null]);
    expect(lines.at(-1)).toMatch(
      /^taking nats-server 2\.9\.10 \(.*\), fetched from this machine's release; older/,
    );
    await choose();
    expect(fetches).toEqual(['forky', null, 'forky']);
  });

  it('an error says what to type when there is no nats-server at all', async () => {
    debian = {};
    await expect(choose()).rejects.toThrow(NatsServerMissing);
    await expect(choose()).rejects.toThrow(/apt-get install --yes nats-server\n\(Could not resolve host/);
  });

  it.each([
    [['http_proxy'], 'http_proxy names the proxy of downloads: correct it, or type unset http_proxy'],
    [
      ['http_proxy', 'https_proxy'],
      'http_proxy, https_proxy name the proxy of downloads: correct them, or type unset http_proxy https_proxy',
    ],
  ])('an error of a download names the variables of its proxy: %s', async (proxyVariables, advice) => {
    debian = {};
    sources.proxyVariables = proxyVariables;
    await expect(choose()).rejects.toThrow(advice);
  });

  it("a nats-server of the machine's release that is too old is refused", async () => {
    debian = { own: '2.1.0' };
    await expect(choose()).rejects.toThrow(/2\.1\.0.*2\.9\.10/);
  });
});
