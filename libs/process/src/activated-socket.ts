/** The first passed descriptor, sd_listen_fds(3). */
const FIRST_DESCRIPTOR = 3;

/**
 * The listening socket that a service manager has opened for this process; null without one. Its variables are removed
 * from the environment, so that no child uses them.
 * @throws Error if there are several: the server listens on one
 */
export function activatedSocket(env: NodeJS.ProcessEnv = process.env, pid = process.pid): number | null {
  const { LISTEN_PID: owner, LISTEN_FDS: count } = env;
  // Variables of a parent do not belong to this process.
  if (owner !== String(pid)) return null;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name];
  if (count === '1') return FIRST_DESCRIPTOR;
  throw new Error(
    `LISTEN_FDS: ${JSON.stringify(count ?? '')} sockets were passed, one is expected: a single ListenStream=`,
  );
}
