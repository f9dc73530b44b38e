import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** A process that cannot be taken for a later one with the same id. */
export interface SandboxProcess {
  pid: number;
  /** Clock ticks from boot to its start. */
  startTicks: string;
  bootId: string;
}

interface ProcessStatus {
  state: string;
  startTicks: string;
}

/** null when there is no such process. */
export function identify(pid: number): SandboxProcess | null {
  const status = statusOf(pid);
  return status && { pid, startTicks: status.startTicks, bootId: bootId() };
}

/** A zombie counts as gone: it holds nothing. */
export function isRunning({ pid, startTicks, bootId: bootOfIt }: SandboxProcess): boolean {
  const status = statusOf(pid);
  return status !== null && status.state !== 'Z' && status.startTicks === startTicks && bootOfIt === bootId();
}

/** Kills the process if it is still the one that was meant; resolves when it is gone. */
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

/** proc(5): the command name stands in parentheses and may itself hold blanks and parentheses. */
function statusOf(pid: number): ProcessStatus | null {
  try {
    // The kernel's own files wait for nothing, and another thread would cost more than reading one.
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

/** It stays the same as long as this process lives. */
function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return boot;
}
