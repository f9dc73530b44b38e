/** Messages of servers on a machine with too few resources, and what helps. */
const ADVICE: readonly [RegExp, string][] = [
  [
    /shared memory segment .*No space left on device/,
    '/dev/shm has too little room; 64 MiB are enough: mount -o remount,size=64m /dev/shm (as root), or docker run --shm-size=64m',
  ],
  [
    /could not fork|Cannot fork|Resource temporarily unavailable/,
    'this user may not have more processes; 200 are enough: ulimit -u 200, or TasksMax=200 of its unit',
  ],
  [
    /No space left on device|Disk quota exceeded/,
    'its disk is full, has no inodes left, or a quota is used up (df -h, df -i, quota): make room, or move the home to another disk',
  ],
  [
    /has wrong ownership|Permission denied|permission denied/,
    'a file of its folder belongs to another user than the one who starts it: type chown -R USER FOLDER as root',
  ],
  [
    /database files are incompatible with server/,
    'its data was made by another version of PostgreSQL: type proctor backup FOLDER with the Proctor that made it, and proctor restore --force BACKUP here',
  ],
  [
    /checkpoint record|"global\/pg_control"|not a valid data directory|could not open (file|directory) "(global|base|pg_\w+)[/"].*No such file/,
    'its data is damaged or incomplete: type proctor restore --force BACKUP; or move its folder away, and the next start begins with an empty database',
  ],
];

/**
 * An error of a server that does not start, with what to type first if that is known.
 * @returns otherwise the error itself
 */
export function withAdvice(server: string, error: unknown): unknown {
  const text = error instanceof Error ? error.message : String(error);
  const [, advice] = ADVICE.find(([sign]) => sign.test(text)) ?? [];
  return advice === undefined
    ? error
    : new Error(`${server} does not start: ${advice}\n${text}`, { cause: error });
}
