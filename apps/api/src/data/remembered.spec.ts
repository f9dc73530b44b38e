import { Remembered } from './remembered';

const making = () => {
  let count = 0;
  return jest.fn(() => Promise.resolve((count += 1)));
};

it('makes a value once for a version, also for those who ask at the same time', async () => {
  const [remembered, make] = [new Remembered<number>(10), making()];
  const both = [remembered.get('a', '1', make), remembered.get('a', '1', make)];
  expect(await Promise.all(both)).toEqual([1, 1]);
  expect(await remembered.get('a', '2', make)).toBe(2);
  expect(await remembered.get('a', '2', make)).toBe(2);
  expect(await remembered.get('b', '2', make)).toBe(3);
});

it('does not keep a failure', async () => {
  const remembered = new Remembered<number>(10);
  await expect(remembered.get('a', '1', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await remembered.get('a', '1', making())).toBe(1);
});

it('forgets one place for another when there are too many', async () => {
  const [remembered, make] = [new Remembered<number>(2), making()];
  for (const place of ['a', 'b', 'c']) await remembered.get(place, '1', make);
  expect(await remembered.get('c', '1', make)).toBe(3);
  expect(await remembered.get('b', '1', make)).toBe(2);
  expect(await remembered.get('a', '1', make)).toBe(4);
});
