import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { silenceLog } from '@test/support/silent-log';
import type { DispatcherFigures } from '../dispatcher/actor-ports';
import { HourKeeper } from './hour-keeper';

silenceLog();

const MACHINES = [{ worker: 'w1', loadPercent: 75, freeDiskMib: 900, freeDiskMibMin: 100 }];
const FIGURES = { slots: 4, machines: MACHINES } as DispatcherFigures;

function keeperOf(settings = { enabled: true, hourDays: 30 }) {
  const clock = new VirtualClock();
  const figures = new Map<string, DispatcherFigures | null>([
    ['amd64', FIGURES],
    ['arm64', null],
    ['armhf', { ...FIGURES, slots: 0 }],
  ]);
  const save = jest.fn((_arch: string, _slots: number, _keptDays: number | null) => Promise.resolve());
  const saveMachines = jest.fn(() => Promise.resolve());
  const keeper = new HourKeeper({ figures: () => figures }, { save, saveMachines }, clock, () => settings);
  return {
    keeper,
    save,
    saveMachines,
    minutes: (count: number) => clock.runUntil(clock.now() + count * 60_000),
  };
}

it('the figures of each loaded architecture are saved once a minute, until the process ends', async () => {
  const { keeper, save, saveMachines, minutes } = keeperOf();
  keeper.onApplicationBootstrap();
  await minutes(1);
  expect(save.mock.calls).toEqual([
    ['amd64', 4, 30],
    ['armhf', 0, 30],
  ]);
  expect(saveMachines).toHaveBeenCalledWith(MACHINES);
  await minutes(2);
  expect(save).toHaveBeenCalledTimes(6);
  await keeper.beforeApplicationShutdown();
  await minutes(5);
  expect(save).toHaveBeenCalledTimes(6);
});

it('figures that cannot be saved keep no other architecture from it', async () => {
  const { keeper, save } = keeperOf();
  save.mockRejectedValueOnce(new Error('away'));
  await keeper.save();
  expect(save.mock.calls.map(([arch]) => arch)).toEqual(['amd64', 'armhf']);
});

it('no figures are removed where nothing is removed by itself', async () => {
  const { keeper, save } = keeperOf({ enabled: false, hourDays: 30 });
  await keeper.save();
  expect(save).toHaveBeenCalledWith('amd64', 4, null);
});
