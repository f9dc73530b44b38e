import { ageOf, timesOf } from './ages';

it.each([
  ['2026-11-20T12:00:00Z', 'now'],
  ['2026-11-20T11:59:31Z', '29 seconds ago'],
  ['2026-11-20T10:01:00Z', '1 hour ago'],
  ['2026-11-19T11:00:00Z', 'yesterday'],
  ['2026-11-01T12:00:00Z', '19 days ago'],
  ['2026-09-22T12:00:00Z', '59 days ago'],
  ['2022-04-07T23:00:00Z', '2022-04-07'],
  ['2026-11-20T12:20:00Z', 'in 20 minutes'],
])('at noon of 20 November, %s is written as %s', (time, age) => {
  expect(ageOf(new Date(time), new Date('2026-11-20T12:00:00Z'))).toBe(age);
});

it.each([
  ['Europe/Berlin', '2026-11-20 15:40:51 UTC, 2026-11-20 16:40:51 GMT+1'],
  ['Pacific/Auckland', '2026-11-20 15:40:51 UTC, 2026-11-21 04:40:51 GMT+13'],
  ['UTC', '2026-11-20 15:40:51 UTC'],
])('a reader in %s sees a time as %s', (zone, words) => {
  expect(timesOf(new Date('2026-11-20T15:40:51Z'), zone)).toBe(words);
});
