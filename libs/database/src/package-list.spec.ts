import { listOf, listText, packedList, unpackedText } from './package-list';

const packages = (version: (n: number) => string, count = 300) =>
  new Map(Array.from({ length: count }, (_, n) => [`lib${(n * 7919) % 1000}-${n}`, version(n)]));

const VERSION = (n: number) => `${n}.${(n * 31) % 17}-${n % 5}`;

it('a list is read again as it was, from a base or as a whole', () => {
  const base = listText(packages(VERSION));
  const text = listText(packages((n) => (n % 50 === 0 ? '9.9-9' : VERSION(n))));
  for (const from of [null, base, '']) {
    const { content, hasBase } = packedList(text, from);
    expect(hasBase).toBe(from === base);
    expect(listText(listOf(unpackedText(content, hasBase ? from : null)))).toBe(text);
  }
  expect(listOf(unpackedText(packedList('', base).content, null))).toEqual(new Map());
});

it('a list that differs little from its base takes little, and one that differs much is kept as a whole', () => {
  const text = listText(packages(VERSION));
  const near = packedList(listText(packages((n) => (n === 7 ? '1' : VERSION(n)))), text);
  expect(near.content.length).toBeLessThan(120);
  expect(packedList(listText(packages((n) => `x${n ** 3}`)), text).hasBase).toBe(false);
});
