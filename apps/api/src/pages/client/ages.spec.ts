import { ageOf } from './ages';

it.each([
  ['2026-11-20T12:00:00Z', 'now'],
  ['2026-11-20T11:59:31Z', '29 seconds ago'],
  ['2026-11-20T10:01:00Z', '1 hour ago'],
  ['2026-11-19T11:00:00Z', 'yesterday'],
  ['2026-11-01T12:00:00Z', '19 days ago'],
  ['2026-11-20T12:20:00Z', 'in 20 minutes'],
])('at noon of 20 November, %s is written as %s', (time, age) => {
  expect(ageOf(new Date(time), new Date('2026-11-20T12:00:00Z'))).toBe(age);
});
