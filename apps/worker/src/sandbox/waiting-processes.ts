import { readdir, readFile } from 'node:fs/promises';

/** The kernel function in which a process waits that opens a named pipe without another end. */
const OPENS_PIPE = 'wait_for_partner';

/** A process that waits for the other end of a named pipe. */
export interface WaitingProcess {
  pid: number;
  /** Program and arguments. */
  command: string[];
}

/**
 * The descendants of the process `root` that wait; processes that have ended meanwhile, or may not be read, are left
 * out.
 */
export async function processesWaitingForPipes(root: number): Promise<WaitingProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = new Map<number, number>();
  for (const pid of pids) {
    const stat = await text(pid, 'stat');
    // The name of the command is in parentheses and may have parentheses itself.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (Number.isInteger(parent)) parents.set(Number(pid), parent);
  }
  const waiting: WaitingProcess[] = [];
  for (const pid of parents.keys()) {
    if (!isBelow(pid, root, parents) || (await text(pid, 'wchan')) !== OPENS_PIPE) continue;
    waiting.push({ pid, command: (await text(pid, 'cmdline')).split('\0').slice(0, -1) });
  }
  return waiting;
}

function isBelow(pid: number, root: number, parents: ReadonlyMap<number, number>): boolean {
  const visitedPids = new Set<number>();
  for (let at = parents.get(pid); at !== undefined && !visitedPids.has(at); at = parents.get(at)) {
    if (at === root) return true;
    visitedPids.add(at);
  }
  return false;
}

async function text(pid: number | string, name: string): Promise<string> {
  return readFile(`/proc/${pid}/${name}`, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(error.code ?? '')) return '';
    throw error;
  });
}
