import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDeb822, parseOneLine } from './apt-entries';
import { neededSettings, runConfiguration } from './apt-settings';
import { HostApt } from './host-apt';
import { suiteSources } from './suite-sources';

const DEB822 = `# a comment
Types: deb
# another
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates bookworm-backports
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb deb-src
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
Signed-By: /usr/share/keyrings/own.gpg
Trusted: yes

Types: deb
URIs: https://third.example/repo
Suites: bookworm
Components: stable

Enabled: no
Types: deb
URIs: http://mirror.example/off
Suites: bookworm
Components: main
`;

it('the sources of a suite are those of the configuration where it has some, whatever the suite is called', async () => {
  const lines = ['deb http://mirror.example/debian toString main'];
  const hostApt = new HostApt({ toString: lines }, '/keys', join(tmpdir(), 'nowhere'));
  await expect(hostApt.sourcesOf('toString')).resolves.toEqual({ lines, keys: [] });
  await expect(hostApt.sourcesOf('constructor')).rejects.toThrow('no archive for constructor');
});

it('the sources of a suite are not said to be missing when they cannot be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'apt-'));
  await writeFile(join(folder, 'sources.list.d'), 'a file where the folder should be');
  await expect(new HostApt({}, '/keys', folder).sourcesOf('bookworm')).rejects.toThrow('ENOTDIR');
  await rm(folder, { recursive: true });
});

it('the sources of the machine’s own release are its release, updates and security, with their sources', () => {
  const sources = suiteSources(parseDeb822(DEB822), 'bookworm', 'bookworm', '/keys');
  expect(sources?.lines).toEqual([
    'deb http://mirror.example/debian bookworm main contrib',
    'deb-src http://mirror.example/debian bookworm main contrib',
    'deb http://mirror.example/debian bookworm-updates main contrib',
    'deb-src http://mirror.example/debian bookworm-updates main contrib',
    'deb [signed-by=/usr/share/keyrings/own.gpg trusted=yes] http://mirror.example/debian-security bookworm-security main',
    'deb-src [signed-by=/usr/share/keyrings/own.gpg trusted=yes] http://mirror.example/debian-security bookworm-security main',
  ]);
  expect(sources?.keys).toEqual([{ path: '/usr/share/keyrings/own.gpg', content: null }]);
});

it('the sources of another suite are that suite in the same archive', () => {
  expect(suiteSources(parseDeb822(DEB822), 'bookworm', 'trixie', '/keys')?.lines).toEqual([
    'deb http://mirror.example/debian trixie main contrib',
    'deb-src http://mirror.example/debian trixie main contrib',
  ]);
});

it('the sources of a suite are found by its own name where the machine’s release is not among them', () => {
  const entries = parseOneLine('deb http://mirror.example/debian unstable main\n');
  expect(suiteSources(entries, 'trixie', 'unstable', '/keys')?.lines).toEqual([
    'deb http://mirror.example/debian unstable main',
    'deb-src http://mirror.example/debian unstable main',
  ]);
  expect(suiteSources(entries, 'trixie', 'bookworm', '/keys')).toBeNull();
  expect(suiteSources(entries, 'trixie', 'trixie', '/keys')).toBeNull();
});

it('the sources of a suite include a key that stands in the stanza itself', () => {
  const stanza =
    'Types: deb\nURIs: http://mirror.example/d\nSuites: sid\nComponents: main\nSigned-By:\n' +
    ' -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mQINBFz\n -----END PGP PUBLIC KEY BLOCK-----\n';
  const sources = suiteSources(parseDeb822(stanza), 'sid', 'sid', '/keys');
  expect(sources?.lines[0]).toBe('deb [signed-by=/keys/source-0.asc] http://mirror.example/d sid main');
  expect(sources?.keys).toEqual([
    {
      path: '/keys/source-0.asc',
      content: '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQINBFz\n-----END PGP PUBLIC KEY BLOCK-----\n',
    },
  ]);
});

it.each([
  [
    'deb [ arch=amd64 signed-by=/k.gpg,/l.gpg Check-Valid-Until=no ] http://mirror.example/d sid main contrib # c',
    [
      {
        types: ['deb'],
        uris: ['http://mirror.example/d'],
        suites: ['sid'],
        components: ['main', 'contrib'],
        options: { 'signed-by': '/k.gpg,/l.gpg', 'check-valid-until': 'no' },
      },
    ],
  ],
  [
    '  deb-src\thttp://mirror.example/d  ./',
    [
      {
        types: ['deb-src'],
        uris: ['http://mirror.example/d'],
        suites: ['./'],
        components: [],
        options: {},
      },
    ],
  ],
  ['# deb http://mirror.example/d sid main', []],
  ['', []],
])('the line "%s" is parsed', (line, entries) => {
  expect(parseOneLine(line)).toEqual(entries);
});

describe('neededSettings', () => {
  const DUMP = `APT "";
APT::Architecture "amd64";
Acquire::http "";
Acquire::http::Proxy "http://proxy.example:3128/";
Acquire::http::Proxy::mirror.example "DIRECT";
Acquire::https::Verify-Peer "false";
Acquire::Check-Valid-Until "false";
Acquire::Check-Date "false";
Acquire::GzipIndexes "true";
`;

  it('the settings that a testbed needs are those that decide whether a mirror can be used', () => {
    expect(neededSettings(DUMP)).toEqual([
      { name: 'Acquire::http::Proxy', value: 'http://proxy.example:3128/' },
      { name: 'Acquire::http::Proxy::mirror.example', value: 'DIRECT' },
      { name: 'Acquire::https::Verify-Peer', value: 'false' },
      { name: 'Acquire::Check-Valid-Until', value: 'false' },
      { name: 'Acquire::Check-Date', value: 'false' },
    ]);
  });

  it('the settings that a testbed needs have the proxy of the environment where apt has none of its own', () => {
    const environment = { http_proxy: 'http://env.example/', https_proxy: 'http://env.example/' };
    const settings = neededSettings(DUMP, environment);
    expect(settings.filter(({ value }) => value === 'http://env.example/')).toEqual([
      { name: 'Acquire::https::Proxy', value: 'http://env.example/' },
    ]);
  });

  it('the settings that a testbed needs make a source that cannot be fetched an error in every run', () => {
    expect(runConfiguration(neededSettings('Acquire::Check-Date "false";\n'))).toBe(
      'Acquire::Check-Date "false";\nAcquire::Retries "2";\nAPT::Update::Error-Mode "any";\n',
    );
  });
});
