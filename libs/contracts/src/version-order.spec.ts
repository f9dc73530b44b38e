import { compareVersions } from './version-order';

it.each([
  ['1.0~rc1-1', '1.0-1'],
  ['1.0-1~bpo12+1', '1.0-1'],
  ['1.0', '1.0-1'],
  ['1.9-1', '1.10-1'],
  ['9.9-9', '1:0.1-1'],
  ['1.0-1', '1.0-1+b1'],
  ['1.0-1', '1.0-1.1'],
  ['1.0a-1', '1.0+dfsg-1'],
  ['1.0-1ubuntu1', '1.0-2'],
  ['1.99999999999999999999-1', '1.100000000000000000000-1'],
])('%s is older than %s', (older, newer) => {
  expect(compareVersions(older, newer)).toBeLessThan(0);
  expect(compareVersions(newer, older)).toBeGreaterThan(0);
});

it.each([
  ['0:1.0-1', '1.0-1'],
  ['1.007-1', '1.7-1'],
  ['1.0-0', '1.0'],
  ['', ''],
])('%j and %j are equal', (one, other) => {
  expect(compareVersions(one, other)).toBe(0);
});
