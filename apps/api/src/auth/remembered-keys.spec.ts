import type { KeyHolder } from '@proctor/database';
import { apiConfiguration } from '@test/support/api-configuration';
import { ManualClock } from '@test/support/manual-clock';
import { RememberedKeys } from './remembered-keys';

const ADA: KeyHolder = {
  userId: 1,
  userName: 'ada',
  keyId: 2,
  isAdmin: false,
  scope: 'everything',
  expiresAt: null,
  validMs: null,
};

/** Two api processes on one database, whose signals reach each other until they are lost. */
function twoProcesses(keysRememberedMs = 1_000) {
  const clock = new ManualClock();
  const valid = new Map([['key', ADA]]);
  const lookUps: string[] = [];
  const listeners: (() => void)[] = [];
  const state = { isLost: false, answers: Promise.resolve() };
  const process = (): RememberedKeys => {
    const keys = new RememberedKeys(
      {
        authenticate: async (key) => {
          lookUps.push(key);
          const owner = valid.get(key) ?? null;
          await state.answers;
          return owner;
        },
      },
      apiConfiguration({ keysRememberedMs }),
      {
        listen: (_subject, received) => void listeners.push(received),
        signal: () => state.isLost || listeners.forEach((received) => received()),
      },
      clock,
    );
    keys.onApplicationBootstrap();
    return keys;
  };
  return { clock, valid, lookUps, state, here: process(), there: process() };
}

it('a key is looked up once for requests at the same time, and again when the time is over', async () => {
  const { here, lookUps, clock } = twoProcesses();
  expect(await Promise.all([here.authenticate('key'), here.authenticate('key')])).toEqual([ADA, ADA]);
  clock.advance(999);
  expect(await here.authenticate('key')).toEqual(ADA);
  expect(lookUps).toHaveLength(1);
  clock.advance(1);
  expect(await here.authenticate('key')).toEqual(ADA);
  expect(lookUps).toHaveLength(2);
});

it('a key is looked up again when it may have expired', async () => {
  const { here, lookUps, valid, clock } = twoProcesses();
  valid.set('key', { ...ADA, expiresAt: new Date(), validMs: 300 });
  await here.authenticate('key');
  clock.advance(299);
  await here.authenticate('key');
  expect(lookUps).toHaveLength(1);
  clock.advance(1);
  await here.authenticate('key');
  expect(lookUps).toHaveLength(2);
});

it('a key is looked up each time when nothing is to be remembered', async () => {
  const { here, lookUps } = twoProcesses(0);
  await here.authenticate('key');
  await here.authenticate('key');
  expect(lookUps).toHaveLength(2);
});

it('a key opens nothing at any process once one of them has learned that it is revoked', async () => {
  const { here, there, valid } = twoProcesses();
  await Promise.all([here.authenticate('key'), there.authenticate('key')]);
  valid.delete('key');
  here.notifyChanged();
  expect(await here.authenticate('key')).toBeNull();
  expect(await there.authenticate('key')).toBeNull();
});

it('a revoked key opens nothing when the signal was lost and the time is over', async () => {
  const { here, there, valid, state, clock } = twoProcesses();
  await there.authenticate('key');
  valid.delete('key');
  state.isLost = true;
  here.notifyChanged();
  clock.advance(1_000);
  expect(await there.authenticate('key')).toBeNull();
});

it('a key is not remembered from a look-up that a revocation has overtaken', async () => {
  const { here, valid, state } = twoProcesses();
  let answer = (): void => undefined;
  state.answers = new Promise((resolve) => (answer = resolve));
  const early = here.authenticate('key');
  valid.delete('key');
  here.notifyChanged();
  answer();
  await early;
  expect(await here.authenticate('key')).toBeNull();
});

it('a key is not remembered when it is unknown, or could not be looked up', async () => {
  const { here, lookUps, valid, state } = twoProcesses();
  expect(await here.authenticate('new')).toBeNull();
  valid.set('new', ADA);
  expect(await here.authenticate('new')).toEqual(ADA);
  state.answers = Promise.reject(new Error('away'));
  await expect(here.authenticate('key')).rejects.toThrow('away');
  state.answers = Promise.resolve();
  expect(await here.authenticate('key')).toEqual(ADA);
  expect(lookUps).toHaveLength(4);
});
