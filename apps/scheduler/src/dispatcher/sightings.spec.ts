import { Logger } from '@nestjs/common';
import type { SeenWorker, WorkerRefusals } from '@proctor/database';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { Sightings } from './sightings';

const MINUTE = 60_000;

describe('Sightings', () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  let clock: VirtualClock;
  let writes: [string[], WorkerRefusals[]][];
  let from: SeenWorker[];
  let failures: number;
  let sightings: Sightings;

  beforeEach(() => {
    clock = new VirtualClock();
    [writes, from, failures] = [[], [], 0];
    warn.mockClear();
    const recordSeen = (workers: SeenWorker[], refusals: WorkerRefusals[]) => {
      if (failures-- > 0) return Promise.reject(new Error('the database is away'));
      writes.push([workers.map(({ worker }) => worker), refusals]);
      from.push(...workers);
      return Promise.resolve();
    };
    sightings = new Sightings({ recordSeen }, clock);
  });

  const see = (...workers: string[]) =>
    sightings.record(workers.map((worker) => ({ worker, refusal: null })));
  const refuse = (worker: string, refusal = 'unknown') => sightings.record([{ worker, refusal }]);
  const time = (ms: number) => clock.runUntil(clock.now() + ms);

  it('sightings are written at once, and then once a minute however often workers ask', async () => {
    see('w1');
    await time(0);
    expect(writes).toEqual([[['w1'], []]]);
    for (let seconds = 0; seconds < 59; seconds += 1) {
      see('w1', 'w2');
      refuse('w3', `no ${seconds}`);
      await time(1_000);
    }
    expect(writes).toHaveLength(1);
    await time(1_000);
    expect(writes.slice(1)).toEqual([[['w1', 'w2'], [{ worker: 'w3', count: 59, reason: 'no 58' }]]]);
    await time(10 * MINUTE);
    expect(writes).toHaveLength(2);
  });

  it('sightings have the address of the last request of a worker, also when they are written later', async () => {
    failures = 1;
    sightings.recordAddress('w1', '192.0.2.1');
    sightings.recordAddress('w1', '192.0.2.2');
    sightings.recordAddress('w2', '192.0.2.3');
    see('w1', 'w3');
    await time(MINUTE);
    expect(from).toEqual([
      { worker: 'w1', from: '192.0.2.2' },
      { worker: 'w3', from: null },
    ]);
  });

  it('nothing is written when no worker was seen', async () => {
    sightings.record([]);
    await time(MINUTE);
    expect(writes).toEqual([]);
    await sightings.beforeApplicationShutdown();
    expect(writes).toEqual([]);
  });

  it('sightings wait while the database is away, and are written later', async () => {
    failures = 2;
    see('w1');
    refuse('w2');
    await time(0);
    see('w3');
    refuse('w2', 'revoked');
    await time(2 * MINUTE);
    expect(writes).toEqual([[['w3', 'w1'].sort(), [{ worker: 'w2', count: 2, reason: 'revoked' }]]]);
  });

  it('sightings are written at the end, too', async () => {
    see('w1');
    await time(0);
    see('w2');
    refuse('w3');
    await sightings.beforeApplicationShutdown();
    expect(writes.slice(1)).toEqual([[['w2'], [{ worker: 'w3', count: 1, reason: 'unknown' }]]]);
    await time(10 * MINUTE);
    expect(writes).toHaveLength(2);
  });

  it('sightings of strangers are logged, and do not fill the memory', async () => {
    for (let name = 0; name < 20_000; name += 1) {
      refuse(`x${name}`, `worker x${name} is not registered`);
      see(`y${name}`);
    }
    await time(0);
    expect(writes[0]!.map(({ length }) => length)).toEqual([10_000, 10_000]);
    const lines = warn.mock.calls.map(([line]) => String(line));
    expect(lines).toHaveLength(11);
    expect(lines[0]).toBe('1 message was refused: worker x0 is not registered');
    expect(lines[10]).toBe('so were messages of 9990 more workers');
  });
});
