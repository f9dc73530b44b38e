import { readFileSync } from 'node:fs';

/** Stops a server and all processes that it has started until now. @returns lets them go on; once is enough */
export function freeze(pid: number): () => void {
  // First the one that starts the others.
  const pids = [pid];
  process.kill(pid, 'SIGSTOP');
  for (const each of pids) pids.push(...childrenOf(each));
  const signal = (name: NodeJS.Signals): void => {
    for (const each of pids) if (each !== pid) process.kill(each, name);
  };
  signal('SIGSTOP');
  let isFrozen = true;
  return () => {
    if (!isFrozen) return;
    isFrozen = false;
    signal('SIGCONT');
    process.kill(pid, 'SIGCONT');
  };
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}
