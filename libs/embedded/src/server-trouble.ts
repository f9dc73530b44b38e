/** What servers say of a machine that gives them too little, and what helps. */
const ADVICE: readonly [RegExp, string][] = [
  [
    /shared memory segment .*No space left on device/,
    '/dev/shm has too little room; 64 MiB are enough: mount -o remount,size=64m /dev/shm (as root), or docker run --shm-size=64m',
  ],
  [
    /could not fork|Cannot fork|Resource temporarily unavailable/,
    'this user may not have more processes; 200 are enough: ulimit -u 200, or TasksMax=200 of its unit',
  ],
];

/**
 * An error of a server that does not start, which begins with what to type where that is known.
 * @returns the error itself where it is not
 */
export function withAdvice(server: string, error: unknown): unknown {
  const said = error instanceof Error ? error.message : String(error);
  const [, advice] = ADVICE.find(([sign]) => sign.test(said)) ?? [];
  return advice === undefined
    ? error
    : new Error(`${server} does not start: ${advice}\n${said}`, { cause: error });
}
