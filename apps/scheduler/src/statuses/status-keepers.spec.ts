import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { ARCH } from '@test/support/runs';
import { silenceLog } from '@test/support/silent-log';
import { OwnershipTerm } from '../ownership/ownership-term';
import { StatusKeepers } from './status-keepers';

const SETTINGS = { pollMs: 5_000, pauseMs: 500, statisticsMs: 30_000, idleStatisticsMs: 600_000 };

silenceLog();

describe('StatusKeepers', () => {
  let clock: VirtualClock;
  let term: OwnershipTerm;
  let keepers: StatusKeepers;
  let hasNews: jest.Mock<Promise<boolean>>;
  /** How long each step takes, and whether more is to be done after it. */
  let step: jest.Mock<Promise<boolean>>;
  let days: jest.Mock<Promise<boolean>>;

  beforeEach(async () => {
    clock = new VirtualClock();
    term = new OwnershipTerm({ arch: ARCH, epoch: 1 }, clock, jest.fn());
    term.setEnd(clock.now() + 10_000_000);
    hasNews = jest.fn(() => Promise.resolve(true));
    step = jest.fn(() => Promise.resolve(false));
    days = jest.fn(() => Promise.resolve(false));
    keepers = new StatusKeepers({ hasNews, step }, { step: days }, clock, () => SETTINGS);
    await keepers.start(term);
    await time(1_000);
    step.mockClear();
  });
  afterEach(() => keepers.stop(term));

  const time = (ms: number) => clock.runUntil(clock.now() + ms);

  it('statuses are made at a signal, and otherwise at each poll', async () => {
    keepers.onRunsChanged('riscv64');
    await time(0);
    expect(step).not.toHaveBeenCalled();
    keepers.onRunsChanged(ARCH);
    await time(0);
    expect(step.mock.calls).toEqual([[ARCH]]);
    await time(SETTINGS.pauseMs + SETTINGS.pollMs);
    expect(step).toHaveBeenCalledTimes(2);
  });

  it('many signals in a short while cause one step, and the last of them another', async () => {
    for (let word = 0; word < 20; word++) {
      keepers.onRunsChanged(ARCH);
      await time(20);
    }
    expect(step).toHaveBeenCalledTimes(1);
    await time(200);
    expect(step).toHaveBeenCalledTimes(2);
  });

  it('a keeper with much to do works a quarter of the time, and goes on until nothing is left', async () => {
    step.mockImplementation(async () => {
      await new Promise<void>((resolve) => clock.after(100, resolve));
      return step.mock.calls.length < 10;
    });
    keepers.onRunsChanged(ARCH);
    await time(9 * 400 + 50);
    expect(step).toHaveBeenCalledTimes(10);
    await time(1_000);
    expect(step).toHaveBeenCalledTimes(10);
  });

  it('the figures of days are made after the statuses, each so often, and at once while there are more', async () => {
    await time(SETTINGS.statisticsMs + SETTINGS.pollMs);
    expect(days.mock.calls).toEqual([[ARCH], [ARCH]]);
    days.mockResolvedValueOnce(true);
    await time(SETTINGS.statisticsMs + SETTINGS.pollMs);
    expect(days).toHaveBeenCalledTimes(4);
  });

  it('while nothing has changed there is one look at each poll, and the figures of days are made seldom', async () => {
    await time(SETTINGS.statisticsMs + SETTINGS.pollMs);
    hasNews.mockClear().mockResolvedValue(false);
    step.mockClear();
    days.mockClear();
    await time(SETTINGS.idleStatisticsMs + SETTINGS.pollMs);
    expect(hasNews.mock.calls.length).toBeGreaterThan(100);
    expect(step).not.toHaveBeenCalled();
    expect(days).toHaveBeenCalledTimes(1);
  });

  it('a step that fails is repeated at the next poll', async () => {
    step.mockRejectedValueOnce(new Error('away'));
    keepers.onRunsChanged(ARCH);
    await time(SETTINGS.pauseMs);
    expect(step).toHaveBeenCalledTimes(1);
    await time(SETTINGS.pollMs);
    expect(step).toHaveBeenCalledTimes(2);
  });

  it('nothing is made after the term, and the end of the service waits for a step under way', async () => {
    let finish = (): void => undefined;
    step.mockImplementation(() => new Promise((resolve) => (finish = () => resolve(false))));
    keepers.onRunsChanged(ARCH);
    await time(0);
    const onEnd = jest.fn();
    void keepers.stop(term).then(onEnd);
    await time(0);
    expect(onEnd).not.toHaveBeenCalled();
    finish();
    await time(0);
    expect(onEnd).toHaveBeenCalled();
    keepers.onRunsChanged(ARCH);
    await time(2 * SETTINGS.pollMs);
    expect(step).toHaveBeenCalledTimes(1);
  });
});
