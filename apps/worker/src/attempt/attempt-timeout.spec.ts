import { attemptTimeoutMs, packageTimeoutMs } from './attempt-timeout';

const settings = {
  runTimeoutMs: 1,
  timeouts: { 'linux-*': 2, 'linux-image': 3, 'lin*': 4, constructor: 5 },
};

it.each([
  ['hello', 1],
  ['linux-image', 3],
  ['linux-tools', 2],
  ['linphone', 4],
  ['constructor', 5],
  ['tostring', 1],
])('an attempt at %s may take %i ms', (name, ms) => {
  expect(attemptTimeoutMs(settings, name)).toBe(ms);
});

it('a package that is called like a member of every object has no limit of its own', () => {
  expect(packageTimeoutMs({ timeouts: {} }, 'constructor')).toBeUndefined();
});
