import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { Epochs } from './epochs';

function makeEpochs() {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const log = { log: () => undefined, warn: (line: string) => void warnings.push(line) };
  const epochs = new Epochs({ clock, log, lowerEpochWaitMs: () => 15_000 });
  const accepts = (epoch: number, arch = 'amd64') => epochs.accepts({ arch, epoch });
  const pass = (ms: number) => clock.runUntil(clock.now() + ms);
  return { accepts, warnings, pass };
}

it('a lower epoch is ignored and logged once, and each architecture counts by itself', () => {
  const { accepts, warnings } = makeEpochs();
  expect([accepts(7), accepts(6), accepts(6), accepts(7), accepts(8)]).toEqual([
    true,
    false,
    false,
    true,
    true,
  ]);
  expect(accepts(1, 'arm64')).toBe(true);
  expect(warnings).toEqual([
    'answers for amd64 have epoch 6, lower than 7: they are ignored, as those of an owner that was replaced',
  ]);
});

it('a lower epoch is accepted when no other answer comes for a while: the database was restored', async () => {
  const { accepts, warnings, pass } = makeEpochs();
  accepts(7);
  expect(accepts(3)).toBe(false);
  await pass(14_999);
  expect(accepts(3)).toBe(false);
  await pass(1);
  expect(accepts(3)).toBe(true);
  expect([accepts(3), accepts(4)]).toEqual([true, true]);
  expect(warnings).toHaveLength(2);
  expect(warnings[1]).toContain('the database was restored or failed over');
});

it.each([
  ['while its successor answers too', true, 3],
  ['when it has spoken only twice', false, 1],
])('the epoch of a stale owner is still ignored %s', async (_what, isSucceeded, times) => {
  const { accepts, pass } = makeEpochs();
  accepts(7);
  for (let time = 0; time < times; time += 1) {
    expect(accepts(6)).toBe(false);
    await pass(20_000);
    if (isSucceeded) accepts(7);
  }
  expect(accepts(6)).toBe(false);
});
