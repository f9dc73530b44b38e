import { InvalidArgumentError } from 'commander';
import { readDuration, readMoment } from './duration';

it.each([
  ['90', 90],
  ['0.5s', 0.5],
  ['10m', 600],
  ['2h', 7_200],
  ['1d', 86_400],
])('the length of time %s is %d seconds', (text, seconds) => {
  expect(readDuration(text)).toBe(seconds);
});

it.each(['', 'x', '-1', '1w', '1 h', '1e3'])('"%s" is no length of time', (text) => {
  expect(() => readDuration(text)).toThrow(InvalidArgumentError);
});

it.each([
  ['2h', 1_763_640_000 - 7_200],
  ['1763640000.5', 1_763_640_000.5],
  ['2025-11-20', Date.parse('2025-11-20') / 1000],
  ['2025-11-20T10:00:00Z', Date.parse('2025-11-20T10:00:00Z') / 1000],
])('the moment %s is %d', (text, seconds) => {
  expect(readMoment(text, 1_763_640_000_000)).toBe(seconds);
});

it.each(['yesterday', '5', '2025-13-40'])('"%s" is no moment', (text) => {
  expect(() => readMoment(text)).toThrow(InvalidArgumentError);
});
