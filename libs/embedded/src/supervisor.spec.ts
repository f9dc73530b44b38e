import { ManualClock } from '@test/support/manual-clock';
import fc from 'fast-check';
import type { Ending, SupervisedProcess } from './supervised';
import { BackOff, Supervisor } from './supervisor';

class FakeUnit implements SupervisedProcess {
  starts = 0;
  failsToStart = false;
  stopping: Promise<void> = Promise.resolve();
  whenEnded: Promise<Ending> = new Promise(() => undefined);
  private end: (ending: Ending) => void = () => undefined;

  constructor(
    readonly name: string,
    private readonly events: string[],
  ) {}

  start(): Promise<void> {
    this.starts += 1;
    if (this.failsToStart) return Promise.reject(new Error('no luck'));
    this.whenEnded = new Promise((resolve) => (this.end = resolve));
    return Promise.resolve();
  }

  async die(ending: Ending): Promise<void> {
    this.end(ending);
    await settled();
  }

  async stop(): Promise<void> {
    await this.stopping;
    if (!this.events.includes(`${this.name} stopped`)) this.events.push(`${this.name} stopped`);
    this.end({ code: 0, signal: null });
  }
}

const KILLED: Ending = { code: null, signal: 'SIGKILL' };

/** Lets everything run that waits for nothing but promises. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('Supervisor', () => {
  let clock: ManualClock;
  let lines: string[];
  let supervisor: Supervisor;
  const unit = (name: string): FakeUnit => new FakeUnit(name, lines);

  beforeEach(() => {
    clock = new ManualClock();
    lines = [];
    supervisor = new Supervisor(['worker', 'api', 'nats'], (line) => lines.push(line), clock);
  });

  it('a supervisor starts again what ended, later each time, and says so', async () => {
    const worker = unit('worker');
    await supervisor.start(worker);
    await worker.die(KILLED);
    expect(lines).toEqual(['worker ended with signal SIGKILL; starting it again in 1 s']);
    clock.advance(999);
    await settled();
    expect(worker.starts).toBe(1);
    clock.advance(1);
    await settled();
    expect(worker.starts).toBe(2);
    expect(lines.at(-1)).toBe('worker runs again');
    await worker.die({ code: 3, signal: null });
    expect(lines.at(-1)).toBe('worker ended with exit code 3; starting it again in 2 s');
  });

  it('a supervisor goes on trying what does not start', async () => {
    const api = unit('api');
    await supervisor.start(api);
    api.failsToStart = true;
    await api.die(KILLED);
    clock.advance(1_000);
    await settled();
    expect(lines.at(-1)).toBe('api did not start: no luck; starting it again in 2 s');
    api.failsToStart = false;
    clock.advance(2_000);
    await settled();
    expect(lines.at(-1)).toBe('api runs again');
  });

  it('a supervisor rejects when the first start fails, and does not try again', async () => {
    const api = unit('api');
    api.failsToStart = true;
    await expect(supervisor.start(api)).rejects.toThrow('no luck');
    clock.advance(60_000);
    await settled();
    expect(api.starts).toBe(1);
  });

  it('a supervisor stops everything in the given order, whatever the order of the starts', async () => {
    for (const name of ['nats', 'other', 'api', 'worker']) await supervisor.start(unit(name));
    await supervisor.stop();
    const stops = lines.filter((line) => line.endsWith(' stopped'));
    expect(stops).toEqual(['worker stopped', 'api stopped', 'nats stopped', 'other stopped']);
  });

  it('a supervisor does not start anything again once it stops, not even what waits for its next try', async () => {
    const [api, worker] = [unit('api'), unit('worker')];
    await supervisor.start(api);
    await supervisor.start(worker);
    await worker.die(KILLED);
    await supervisor.stop();
    clock.advance(60_000);
    await settled();
    expect([api.starts, worker.starts, clock.pending]).toEqual([1, 1, 0]);
    await expect(supervisor.start(unit('late'))).rejects.toThrow('Proctor is stopping');
  });

  it('a supervisor says what it waits for when it is asked to stop again', async () => {
    const worker = unit('worker');
    let release = (): void => undefined;
    worker.stopping = new Promise((resolve) => (release = resolve));
    await supervisor.start(worker);
    const stopped = supervisor.stop();
    await settled();
    const again = supervisor.stop();
    expect(lines).toEqual(['still waiting for worker to end']);
    release();
    await Promise.all([stopped, again]);
    expect(lines.filter((line) => line === 'worker stopped')).toHaveLength(1);
  });

  it('a supervisor waits for a start under way before it has stopped', async () => {
    const api = unit('api');
    let finishStart = (): void => undefined;
    api.start = () => new Promise((resolve) => (finishStart = resolve));
    const started = supervisor.start(api);
    let isStopped = false;
    const stopped = supervisor.stop().then(() => (isStopped = true));
    await settled();
    expect(isStopped).toBe(false);
    finishStart();
    await Promise.all([started, stopped]);
    expect(isStopped).toBe(true);
  });
});

it('a back-off doubles from one second to thirty', () => {
  const backOff = new BackOff();
  const delays = [0, 0, 0, 0, 0, 0, 0].map((ranMs) => backOff.delayAfter(ranMs));
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

it('a back-off begins again after a stable minute, and not before', () => {
  const backOff = new BackOff();
  expect([0, 0, 59_999, 60_000, 0].map((ranMs) => backOff.delayAfter(ranMs))).toEqual([
    1_000, 2_000, 4_000, 1_000, 2_000,
  ]);
});

it('a back-off never waits less than a second or more than thirty', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(120_000)), (runs) => {
      const backOff = new BackOff();
      for (const ranMs of runs) {
        const delayMs = backOff.delayAfter(ranMs);
        expect(delayMs).toBeGreaterThanOrEqual(1_000);
        expect(delayMs).toBeLessThanOrEqual(30_000);
      }
    }),
  );
});
