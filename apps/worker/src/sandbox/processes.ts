import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The identity of a process, also if a later process has the same id. */
export interface SandboxProcess {
  pid: number;
  /** Clock ticks between the boot and the start of the process. */
  startTicks: string;
  bootId: string;
}

interface ProcessStatus {
  state: string;
  startTicks: string;
}

/** Null when no such process exists. */
export function identify(pid: number): SandboxProcess | null {
  const status = statusOf(pid);
  return status && { pid, startTicks: status.startTicks, bootId: bootId() };
}

/** A zombie counts as ended: it holds nothing. */
export function isRunning(identity: SandboxProcess): boolean {
  const status = statusOf(identity.pid);
  if (status === null || status.state === 'Z') return false;
  return status.startTicks === identity.startTicks && identity.bootId === bootId();
}

/**
 * Kills the process if it is still the same one; resolves when it has ended.
 * @throws Error if it runs on after `timeoutMs`
 */
export async function killProcess(identity: SandboxProcess, timeoutMs = 10_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (isRunning(identity)) {
    sendKill(identity.pid);
    if (performance.now() > end) throw new Error(`process ${identity.pid} does not end`);
    await pause(10);
  }
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** proc(5): the command name is in parentheses and may itself have blanks and parentheses. */
function statusOf(pid: number): ProcessStatus | null {
  try {
    // The kernel's files never block, and another thread would cost more than the read.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTicks: fields[19] ?? '' };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}

let boot: string | null = null;

/** The file is read once: its content does not change while this process lives. */
function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return boot;
}
