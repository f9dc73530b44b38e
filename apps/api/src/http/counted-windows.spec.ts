import { ManualClock } from '@test/support/manual-clock';
import { CountedWindows } from './counted-windows';

it('counted windows say when the span is over that began with the first time', () => {
  const clock = new ManualClock();
  const windows = new CountedWindows(1_000, clock);
  expect([windows.add('a', 2), windows.add('a', 2)]).toEqual([0, 0]);
  clock.advance(400);
  expect([windows.add('a', 2), windows.add('b', 2)]).toEqual([600, 0]);
  clock.advance(600);
  expect(windows.add('a', 2)).toBe(0);
});

it('counted windows take back and forget', () => {
  const windows = new CountedWindows(1_000, new ManualClock());
  windows.add('a', 1);
  windows.uncount('a');
  expect(windows.add('a', 1)).toBe(0);
  expect(windows.add('a', 1)).toBeGreaterThan(0);
  windows.remove('a');
  expect(windows.add('a', 1)).toBe(0);
});

it('counted windows stay bounded over a million addresses, and begin no timer', () => {
  const clock = new ManualClock();
  const windows = new CountedWindows(3_600_000, clock);
  for (let address = 0; address < 1_000_000; address += 1) windows.add(`address ${address}`, 1);
  expect(windows.size).toBe(100_000);
  expect(windows.add('address 999999', 1)).toBeGreaterThan(0);
  expect(clock.pending).toBe(0);
});

it('counted windows take no memory for clients that have not come yet', () => {
  const before = process.memoryUsage().arrayBuffers;
  const windows = Array.from({ length: 10 }, () => new CountedWindows(1_000, new ManualClock()));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
  expect(windows.map(({ size }) => size)).toEqual(Array(10).fill(0));
});
