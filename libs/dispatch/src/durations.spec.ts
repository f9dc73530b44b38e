import * as fc from 'fast-check';
import { Durations } from './durations';

const settings = () => ({ unknownDurationMs: 300 });

it('the duration of an unknown package is the configured one, then the mean of all that are known', () => {
  const durations = new Durations([], settings);
  expect(durations.expectedMs('gcc')).toBe(300);
  durations.learn('gcc', 1_000);
  durations.learn('hello', 10);
  expect(['gcc', 'hello', 'dpkg'].map((name) => durations.expectedMs(name))).toEqual([1_000, 10, 505]);
});

it('durations follow the latest runs', () => {
  const durations = new Durations([{ package: 'gcc', durationMs: 1_000 }], settings);
  durations.learn('gcc', 2_000);
  expect(durations.expectedMs('gcc')).toBe(1_300);
  for (let run = 0; run < 30; run += 1) durations.learn('gcc', 500);
  expect(durations.expectedMs('gcc')).toBe(500);
});

it('durations of so many packages are remembered, and forgotten where they were learned the longest ago', () => {
  const loaded = ['gcc', 'hello'].map((name, place) => ({ package: name, durationMs: 100 + place }));
  const durations = new Durations(loaded, settings, 2);
  durations.learn('gcc', 100);
  durations.learn('dpkg', 400);
  expect(['gcc', 'dpkg', 'hello'].map((name) => durations.expectedMs(name))).toEqual([100, 400, 250]);
});

it('durations have the mean of their averages, whatever was learned', () => {
  const learned = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), ms: fc.nat(100_000) }), {
    minLength: 1,
    maxLength: 50,
  });
  fc.assert(
    fc.property(learned, (entries) => {
      const durations = new Durations([], settings);
      for (const { name, ms } of entries) durations.learn(name, ms);
      const names = [...new Set(entries.map(({ name }) => name))];
      const mean = names.reduce((sum, name) => sum + durations.expectedMs(name), 0) / names.length;
      expect(Math.abs(durations.meanMs - mean)).toBeLessThan(1);
    }),
  );
});
