import { Cached } from './cached';

/** A value that counts how often it was read. */
function cachedCount(ageMaxMs: () => number) {
  const state = { nowMs: 0, reads: 0 };
  const readNumber = (): Promise<number> => Promise.resolve(++state.reads);
  return { state, value: new Cached({ now: () => state.nowMs }, ageMaxMs, readNumber) };
}

it('a value is read once for all who need it, and again when it is too old', async () => {
  const { state, value } = cachedCount(() => 1_000);
  expect(await Promise.all([value.load(), value.load()])).toEqual([1, 1]);
  state.nowMs = 999;
  expect(await value.load()).toBe(1);
  state.nowMs = 1_000;
  expect(await value.load()).toBe(2);
});

it('a stale value is answered at once while a newer one is read', async () => {
  const { state, value } = cachedCount(() => 1_000);
  expect(await value.loadStale()).toBe(1);
  state.nowMs = 1_000;
  expect(await value.loadStale()).toBe(1);
  expect(await value.load()).toBe(2);
});

it('nothing stale is answered where no age is permitted', async () => {
  const { value } = cachedCount(() => 0);
  expect([await value.loadStale(), await value.loadStale()]).toEqual([1, 2]);
});

it('a value is read again after a failure, which a stale value hides', async () => {
  const outcomes = [Promise.resolve('old'), Promise.reject(new Error('away')), Promise.resolve('new')];
  let nowMs = 0;
  const value = new Cached(
    { now: () => nowMs },
    () => 10,
    () => outcomes.shift()!,
  );
  expect(await value.load()).toBe('old');
  nowMs = 10;
  expect(await value.loadStale()).toBe('old');
  await expect(value.load()).rejects.toThrow('away');
  expect(await value.load()).toBe('new');
});
