import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SystemUser } from './command';
import { serverUser } from './server-user';

/** Processes and threads that a start needs: 57 were measured, and each database connection adds one. */
const NEEDED = 80;
/** The part of PostgreSQL and nats-server, which root starts as another user. */
const NEEDED_BY_SERVERS = 40;
/** The recommended number of processes: enough for a whole service and the first processes of its tests. */
const ENOUGH = 200;

/** A limit of the machine for processes and threads. */
interface ProcessBound {
  max: number;
  used: number;
  /** The limit, and the command that changes it. */
  text: string;
}

/**
 * Checks that all processes of a start are allowed. Otherwise programs abort, or wait forever, in ways that do not name
 * the limit.
 * @throws Error with the limit and the remedy, if it is too low
 */
export async function requireProcessRoom(): Promise<void> {
  const server = await serverUser();
  const needed = server ? NEEDED_BY_SERVERS : NEEDED;
  for (const [bound, atLeast] of [
    [await boundOfUser(server), needed],
    [await boundOfGroup(), NEEDED],
  ] as const)
    if (bound && bound.max - bound.used < atLeast) throw new Error(lackOf(bound, atLeast));
}

export function lackOf({ max, used, text }: ProcessBound, needed: number): string {
  return `only ${max} processes and threads are allowed here, ${used} are there, and a start needs ${needed} more: ${text}`;
}

/** The limit of each user; it does not apply to root, but to the users under which root starts servers. */
async function boundOfUser(server: SystemUser | null): Promise<ProcessBound | null> {
  const max = limitIn(await readFile('/proc/self/limits', 'utf8'));
  if (max === null) return null;
  const text = `type ulimit -u ${ENOUGH} before npm start; where that is refused, raise LimitNPROC of its unit, nproc in /etc/security/limits.conf, or docker run --ulimit nproc=${ENOUGH}`;
  return { max, used: await threadsOf(server?.uid ?? process.getuid!()), text };
}

/** The soft limit of processes in the text of /proc/PID/limits; null: none. */
export function limitIn(limits: string): number | null {
  const [, soft] = /^Max processes\s+(\d+)\s/m.exec(limits) ?? [];
  return soft === undefined ? null : Number(soft);
}

/** The number of a user's threads, as far as this process may see. */
export async function threadsOf(uid: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const counts = await Promise.all(
    pids.map(async (pid) => {
      // It may have ended, or be hidden.
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      const isTheirs = Number(/^Uid:\t(\d+)/m.exec(status)?.[1] ?? NaN) === uid;
      return isTheirs ? Number(/^Threads:\t(\d+)/m.exec(status)?.[1] ?? 0) : 0;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * The tightest limit of our control group and its parents.
 * @param groups where control groups are mounted
 */
export async function boundOfGroup(
  groups = '/sys/fs/cgroup',
  own = '/proc/self/cgroup',
): Promise<ProcessBound | null> {
  const lines = (await readFile(own, 'utf8').catch(() => '')).split('\n');
  let tightest: ProcessBound | null = null;
  for (const line of lines) {
    const [, controllers, path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers !== '' && controllers !== 'pids') continue;
    for (let folder = join(groups, controllers, path); folder.startsWith(groups); folder = dirname(folder)) {
      const [max = NaN, used = NaN] = await Promise.all(
        ['pids.max', 'pids.current'].map(async (name) =>
          Number((await readFile(join(folder, name), 'utf8').catch(() => '')) || NaN),
        ),
      );
      if (Number.isNaN(max - used) || (tightest && tightest.max - tightest.used <= max - used)) continue;
      const text = `raise ${join(folder, 'pids.max')} to ${ENOUGH}: TasksMax=${ENOUGH} of its unit, or docker run --pids-limit=${ENOUGH}`;
      tightest = { max, used, text };
    }
  }
  return tightest;
}
