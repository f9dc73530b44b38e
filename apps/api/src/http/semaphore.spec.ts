import { Semaphore } from './semaphore';

const NEVER_MS = 3_600_000;

async function enter(room: Semaphore, amount: number): Promise<() => void> {
  const release = await room.acquire(amount, 0);
  if (!release) throw new Error(`there was no room for ${amount}`);
  return release;
}

it('a semaphore lets in what fits and turns away what waited in vain', async () => {
  const room = new Semaphore(() => 10);
  const release = await enter(room, 6);
  expect(await room.acquire(5, 1)).toBeNull();
  await enter(room, 4);
  expect(await room.acquire(1, 1)).toBeNull();
  release();
  await enter(room, 6);
});

it('a semaphore serves those that wait in order, as room comes free', async () => {
  const room = new Semaphore(() => 10);
  const releases = [await enter(room, 5), await enter(room, 5)];
  const entered: string[] = [];
  const large = room.acquire(10, NEVER_MS).then((release) => (entered.push('large'), release));
  const small = room.acquire(1, NEVER_MS).then((release) => (entered.push('small'), release));
  releases[0]!();
  await Promise.resolve();
  expect(entered).toEqual([]);
  releases[1]!();
  (await large)!();
  (await small)!();
  expect(entered).toEqual(['large', 'small']);
  await enter(room, 10);
});

it('a semaphore lets in what would never fit when it is empty', async () => {
  const room = new Semaphore(() => 10);
  const release = await enter(room, 1_000);
  expect(await room.acquire(1, 1)).toBeNull();
  release();
  await enter(room, 10);
});

it('a semaphore takes nothing back twice', async () => {
  const room = new Semaphore(() => 2);
  const release = await enter(room, 1);
  await enter(room, 1);
  release();
  release();
  await enter(room, 1);
  expect(await room.acquire(1, 1)).toBeNull();
});

it('a semaphore uses its present size', async () => {
  let size = 1;
  const room = new Semaphore(() => size);
  await enter(room, 1);
  size = 3;
  await enter(room, 2);
});
