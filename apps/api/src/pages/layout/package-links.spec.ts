import { packageLinks } from './package-links';

const links = [
  { name: 'tracker', url: 'https://tracker.example/pkg/{package}' },
  { name: 'place', url: 'https://example.org/{suite}/{arch}?p={package}&v={version}' },
];

it('a link has what it names in its address, as addresses write it', () => {
  const values = { package: 'libstdc++6', suite: 'sid', arch: 'amd64', version: '1:2.0+b1"><x>&a=b' };
  expect(packageLinks(links, values)).toEqual([
    { name: 'tracker', url: 'https://tracker.example/pkg/libstdc%2B%2B6' },
    {
      name: 'place',
      url: 'https://example.org/sid/amd64?p=libstdc%2B%2B6&v=1%3A2.0%2Bb1%22%3E%3Cx%3E%26a%3Db',
    },
  ]);
});

it('of links with the same name the first is shown whose values are known', () => {
  const both = [{ name: 'tracker', url: 'https://tracker.example/pkg/{package}/{version}' }, links[0]!];
  const urls = (version: string | null) =>
    packageLinks(both, { package: 'a', suite: null, arch: null, version }).map(({ url }) => url);
  expect(urls('1')).toEqual(['https://tracker.example/pkg/a/1']);
  expect(urls(null)).toEqual(['https://tracker.example/pkg/a']);
});

it('a value that looks like a name in braces is no name', () => {
  const values = { package: 'a', suite: 'sid', arch: 'amd64', version: '{package}' };
  expect(packageLinks(links, values)[1]!.url).toBe('https://example.org/sid/amd64?p=a&v=%7Bpackage%7D');
});

it.each([null, 'n/a'])('a link that names what is not known is left out: a version that is %p', (version) => {
  const values = { package: 'a', suite: 'sid', arch: 'amd64', version };
  expect(packageLinks(links, values).map(({ name }) => name)).toEqual(['tracker']);
});
