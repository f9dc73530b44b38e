import { ConfigurationFolder } from '@test/support/configuration-folder';
import { loadConfiguration } from './load';

const folder = new ConfigurationFolder();

const load = () => loadConfiguration(folder.env);

function sourceOf(name: string, keyLength: number): string {
  const key = `-----BEGIN PGP PUBLIC KEY BLOCK-----${'x'.repeat(keyLength)}`;
  return `${name}:\n  lines: [deb http://a.example sid main]\n  signingKey: ${key}\n`;
}

const writeSources = (names: string[], keyLength: number) =>
  folder.write('apt-sources.yaml', names.map((name) => sourceOf(name, keyLength)).join(''));

function versionsOf(name: string, count: number): string {
  const versions = Array.from({ length: count }, (_, n) => `1.0-${10_000 + n}: ""`);
  return `${name}:\n  "*":\n    amd64: { ${versions.join(', ')} }\n    "*": { ${versions.join(', ')} }\n`;
}

it('a source that is too large for a lease is refused with its line', async () => {
  await folder.write('apt-sources.yaml', sourceOf('a', 10) + sourceOf('b', 131_072));
  await expect(load()).rejects.toThrow(
    /apt-sources.yaml:4: b: its lines and key have 131\d{3} bytes, a source may have at most 131072$/,
  );
});

it('sources are refused that are too large together, for as many as a run may list', async () => {
  await writeSources(['a', 'b', 'c', 'd'], 100_000);
  await expect(load()).rejects.toThrow(
    /apt-sources.yaml: a run may list 4 sources \(api.extraAptSourcesMax\), and the largest have 400\d{3} bytes/,
  );
  await folder.write('proctor.yaml', 'api: { extraAptSourcesMax: 3 }');
  expect((await load()).extraAptSources).toHaveLength(4);
});

it('a package with too many rejected versions for a lease is refused with its line', async () => {
  await folder.write('reject-list.yaml', versionsOf('fine', 5_000) + versionsOf('hello', 6_000));
  await expect(load()).rejects.toThrow(
    /reject-list.yaml:5: hello: its versions have 72001 bytes, those of a package may have at most 65536$/,
  );
  await folder.write('reject-list.yaml', versionsOf('fine', 5_000));
  await expect(load()).resolves.toHaveProperty(['rejectList', 'fine']);
});

it.each([
  [
    'sizeClasses',
    (names: string[]) => `[${names.join(', ')}]`,
    'sizeClasses must contain no more than 100 elements',
  ],
  [
    'backends',
    (names: string[]) => `[${names.join(', ')}]`,
    'backends must contain no more than 100 elements',
  ],
  [
    'variants',
    (names: string[]) => `{ ${names.map((name) => `${name}: [run]`).join(', ')} }`,
    'variants must have at most 100 names',
  ],
])('a worker offers at most as many %s as a request may name', async (key, yamlOf, problem) => {
  const names = Array.from({ length: 101 }, (_, n) => `n${n}`);
  await folder.write('worker.yaml', `${key}: ${yamlOf(names)}`);
  await expect(load()).rejects.toThrow(`worker.yaml:1: ${key}: ${problem}`);
  await folder.write('worker.yaml', `${key}: ${yamlOf(names.slice(1))}`);
  await expect(load()).resolves.toBeDefined();
});
