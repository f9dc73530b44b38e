import { setImmediate } from 'node:timers/promises';
import { REQUEST_LIMITS, REQUEST_PATTERNS, requestSubject } from '@proctor/contracts';
import { ManualClock } from '@test/support/manual-clock';
import { silenceLog } from '@test/support/silent-log';
import { BusStrategy } from './bus-strategy';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';

silenceLog();

const { shunMinMs, shunMaxMs, perSecondMax, lateMax } = REQUEST_LIMITS;
/** All that is answered at once and late, and some. */
const FLOOD = 2 * perSecondMax + lateMax + 100;

it('no process receives the requests of a flooding worker for a while, longer each time up to shunMaxMs, and at first for shunMinMs', async () => {
  const clock = new ManualClock();
  const broker = new MemoryBroker();
  const [worker, bus] = [new MemoryBus(broker), new MemoryBus(broker)];
  const shunned: number[] = [];
  jest.spyOn(bus, 'shun').mockImplementation((_subject, forMs) => void shunned.push(forMs));
  const strategy = new BusStrategy(bus, clock);
  strategy.addHandler(REQUEST_PATTERNS.return, () => Promise.resolve({}));
  await strategy.serve('amd64');
  const flood = async () => {
    for (let number = 0; number < FLOOD; number += 1)
      worker.signal(requestSubject('amd64', 'w1', 'return'), {});
    await setImmediate();
  };
  for (let time = 0; time < 8; time += 1) {
    await flood();
    clock.advance(shunned.at(-1) ?? 0);
  }
  const doubled = shunned.map((_, time) => Math.min(shunMinMs * 2 ** time, shunMaxMs));
  expect(shunned).toHaveLength(8);
  expect(shunned).toEqual(doubled);
  // One that was quiet for as long begins from the beginning.
  clock.advance(2 * shunMaxMs);
  await flood();
  expect(shunned.at(-1)).toBe(shunMinMs);
  await strategy.close();
  await Promise.all([worker.close(), bus.close()]);
});
