import { hasOption } from './command';

it.each([
  ['5.28', false],
  ['5.42', false],
  ['5.43', true],
  ['5.49~bpo12+1', true],
  ['5.100', true],
  ['6.0', true],
  ['4.99', false],
  ['git', false],
  ['', false],
  [null, false],
])('version %j of the test runner has --test-architecture: %s', (version, has) => {
  expect(hasOption(version, '--test-architecture')).toBe(has);
});
