import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { ARCH } from '@test/support/runs';
import { silenceLog } from '@test/support/silent-log';
import { ReportStreams } from './report-streams';

silenceLog();

describe('ReportStreams', () => {
  let clock: VirtualClock;
  let prepared: string[];
  let failure: Error | null;
  let streams: ReportStreams;
  const time = async (ms: number) => {
    await clock.runUntil(clock.now() + ms);
    return prepared.splice(0);
  };

  beforeEach(() => {
    clock = new VirtualClock();
    prepared = [];
    failure = null;
    const prepareReports = (arch: string, workers: readonly string[]) => {
      prepared.push(`${arch}: ${workers.join()}`);
      return failure ? Promise.reject(failure) : Promise.resolve();
    };
    streams = new ReportStreams(ARCH, { prepareReports }, clock);
    streams.setWorkers(['w1']);
    void streams.follow();
  });
  afterEach(() => streams.stop());

  it('the streams of reports are made at once, and checked every minute', async () => {
    expect(await time(0)).toEqual([`${ARCH}: w1`]);
    expect(await time(59_000)).toEqual([]);
    expect(await time(1_000)).toEqual([`${ARCH}: w1`]);
  });

  it('the stream of a worker’s reports is made when it is registered later', async () => {
    await time(0);
    streams.setWorkers(['w1']);
    expect(await time(0)).toEqual([]);
    streams.setWorkers(['w1', 'w2']);
    expect(await time(0)).toEqual([`${ARCH}: w1,w2`]);
  });

  it('the streams of reports are tried again soon when some could not be made', async () => {
    await time(0);
    failure = new Error('no room');
    streams.setWorkers(['w2']);
    await time(0);
    failure = null;
    expect(await time(5_000)).toEqual([`${ARCH}: w2`]);
    expect(await time(50_000)).toEqual([]);
  });

  it('the streams of reports are left to others once the architecture is', async () => {
    await time(0);
    streams.stop();
    expect(await time(300_000)).toEqual([]);
  });
});
