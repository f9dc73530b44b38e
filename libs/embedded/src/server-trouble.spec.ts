import { withAdvice } from './server-trouble';

it.each([
  [
    'initdb: exit code 1: FATAL:  could not resize shared memory segment "/PostgreSQL.355634936" to 1048576 bytes: No space left on device',
    'mount -o remount,size=64m /dev/shm',
  ],
  ['LOG:  could not fork new process for connection: Resource temporarily unavailable', 'ulimit -u 200'],
  ['sh: 1: Cannot fork', 'ulimit -u 200'],
  ['FATAL:  could not write lock file "postmaster.pid": No space left on device', 'df -i'],
  ['FATAL:  data directory "/home/data" has wrong ownership', 'chown -R USER FOLDER'],
  ['nats-server: open /home/nats/nats-server.conf: permission denied', 'chown -R USER FOLDER'],
  ['initdb: error: could not create directory: Disk quota exceeded', 'quota'],
  ['DETAIL:  x\nFATAL:  database files are incompatible with server', 'proctor backup FOLDER'],
  ['PANIC:  could not locate a valid checkpoint record at 0/1DAE8D8', 'proctor restore --force BACKUP'],
  ['PANIC:  could not read file "global/pg_control": read 0 of 296', 'move its folder away'],
  ['FATAL:  "/home/data" is not a valid data directory', 'move its folder away'],
  ['FATAL:  could not open directory "pg_notify": No such file or directory', 'move its folder away'],
])('of %s the error says what to type', (serverText, advice) => {
  const { message } = withAdvice('PostgreSQL', new Error(serverText)) as Error;
  expect(message.split('\n')).toEqual([expect.stringContaining(advice), ...serverText.split('\n')]);
});

it('an error that says nothing of the machine stays as it is', () => {
  const error = new Error('FATAL:  could not open file "/etc/ssl/server.crt": No such file or directory');
  expect(withAdvice('PostgreSQL', error)).toBe(error);
});
