import { parseList, listText, packedList, unpackedText } from './package-list';

const textOf = (list: ReadonlyMap<string, string>) => listText(list, new Map());

const packages = (version: (n: number) => string, count = 300) =>
  new Map(Array.from({ length: count }, (_, n) => [`lib${(n * 7919) % 1000}-${n}`, version(n)]));

const VERSION = (n: number) => `${n}.${(n * 31) % 17}-${n % 5}`;

it('a list is read again as it was, from a base or as a whole', () => {
  const base = textOf(packages(VERSION));
  const text = textOf(packages((n) => (n % 50 === 0 ? '9.9-9' : VERSION(n))));
  for (const from of [null, base, '']) {
    const { content, hasBase } = packedList(text, from);
    expect(hasBase).toBe(from === base);
    expect(textOf(parseList(unpackedText(content, hasBase ? from : null)).packages)).toBe(text);
  }
  expect(parseList(unpackedText(packedList('', base).content, null))).toEqual({
    packages: new Map(),
    suites: new Map(),
  });
});

it('a list that differs little from its base takes little, and one that differs much is kept as a whole', () => {
  const text = textOf(packages(VERSION));
  const near = packedList(textOf(packages((n) => (n === 7 ? '1' : VERSION(n)))), text);
  expect(near.content.length).toBeLessThan(120);
  expect(packedList(textOf(packages((n) => `x${n ** 3}`)), text).hasBase).toBe(false);
});

it('the suites that packages came from are read as they were kept, and a list of before there were any has none', () => {
  const list = new Map([
    ['libc6', '2.41-1'],
    ['bash', '5'],
  ]);
  const suites = new Map([['libc6', 'trixie-security']]);
  const text = listText(list, suites);
  expect(text).toBe('bash\t5\nlibc6\t2.41-1\ttrixie-security\n');
  expect(parseList(text)).toEqual({ packages: list, suites });
  expect(parseList('bash\t5\n')).toEqual({ packages: new Map([['bash', '5']]), suites: new Map() });
});

it('suites of a list take little when it is kept', () => {
  const list = packages(VERSION);
  const suites = new Map([...list.keys()].map((name) => [name, 'trixie']));
  const bytes = (of: ReadonlyMap<string, string>) => packedList(listText(list, of), null).content.length;
  expect(bytes(suites) - bytes(new Map())).toBeLessThan(100);
});
