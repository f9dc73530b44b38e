import { ManualClock } from '@test/support/manual-clock';
import { silenceLog } from '@test/support/silent-log';
import { StoreRoom } from './store-room';

silenceLog();

const percentFree = (percent: number) => ({ freeBytes: percent * 10, totalBytes: 1_000 });

function room(free: { now: ReturnType<typeof percentFree> | null | Error }, storeFreePercentMin = 5) {
  const store = {
    space: () => (free.now instanceof Error ? Promise.reject(free.now) : Promise.resolve(free.now)),
  };
  return new StoreRoom(store, new ManualClock(), () => ({ storeFreePercentMin }));
}

it('without room in the store no run is granted, until there is a little more than must be', async () => {
  const free = { now: percentFree(5) };
  const store = room(free);
  const changes: (string | null)[] = [];
  store.onChange(() => changes.push(store.whyStopped));
  const at = async (percent: number): Promise<string | null> => {
    free.now = percentFree(percent);
    await store.check();
    return store.whyStopped;
  };
  expect(await at(5)).toBeNull();
  expect(await at(4.9)).toBe('the store is nearly full: 49 bytes (4.9 %) are free, and 5 % must be');
  expect(await at(1)).toContain('49 bytes');
  expect(await at(5.5)).toContain('nearly full');
  expect(await at(6)).toBeNull();
  expect(changes).toEqual([expect.stringContaining('nearly full'), null]);
});

it.each([
  ['a bucket, of whose disk nothing is known', null, 5],
  ['a deployment that wants nothing to be free', percentFree(0), 0],
  ['a disk that answers nothing', new Error('no answer'), 5],
])('runs are granted with %s', async (_, now, least) => {
  const store = room({ now }, least);
  await store.check();
  expect(store.whyStopped).toBeNull();
});
