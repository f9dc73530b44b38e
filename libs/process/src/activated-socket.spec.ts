import { activatedSocket } from './activated-socket';

it('a socket that was passed to this process is taken once, and no child gets its variables', () => {
  const env = { LISTEN_PID: '7', LISTEN_FDS: '1', LISTEN_FDNAMES: 'api', PATH: '/bin' };
  expect(activatedSocket(env, 7)).toBe(3);
  expect(env).toEqual({ PATH: '/bin' });
  expect(activatedSocket(env, 7)).toBeNull();
});

it('a socket that was passed to the parent of a process does not count as its own', () => {
  expect(activatedSocket({ LISTEN_PID: '7', LISTEN_FDS: '1' }, 8)).toBeNull();
});

it.each(['0', '2', 'many'])('a process that is passed %s sockets refuses them', (count) => {
  expect(() => activatedSocket({ LISTEN_PID: '7', LISTEN_FDS: count }, 7)).toThrow(
    `LISTEN_FDS: "${count}" sockets were passed, one is expected`,
  );
});
