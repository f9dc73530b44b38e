import { withAdvice } from './server-trouble';

it.each([
  [
    'initdb: exit code 1: FATAL:  could not resize shared memory segment "/PostgreSQL.355634936" to 1048576 bytes: No space left on device',
    'mount -o remount,size=64m /dev/shm',
  ],
  ['LOG:  could not fork new process for connection: Resource temporarily unavailable', 'ulimit -u 200'],
  ['sh: 1: Cannot fork', 'ulimit -u 200'],
])('of %s the error says what to type', (said, advice) => {
  const { message } = withAdvice('PostgreSQL', new Error(said)) as Error;
  expect(message.split('\n')).toEqual([expect.stringContaining(advice), said]);
});

it('an error that says nothing of the machine stays as it is', () => {
  const error = new Error('No space left on device');
  expect(withAdvice('PostgreSQL', error)).toBe(error);
});
