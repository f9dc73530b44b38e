import { readFile } from 'node:fs/promises';
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
export async function identify(pid: number): Promise<SandboxProcess | null> {
  const status = await statusOf(pid);
  return status && { pid, startTicks: status.startTicks, bootId: await bootId() };
}

/** A zombie counts as gone: it holds nothing. */
export async function isRunning({ pid, startTicks, bootId: bootOfIt }: SandboxProcess): Promise<boolean> {
  const status = await statusOf(pid);
  return (
    status !== null &&
    status.state !== 'Z' &&
    status.startTicks === startTicks &&
    bootOfIt === (await bootId())
  );
}

/** Kills the process if it is still the one that was meant; resolves when it is gone. */
export async function killProcess(identity: SandboxProcess, timeoutMs = 10_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (await isRunning(identity)) {
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
async function statusOf(pid: number): Promise<ProcessStatus | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return null;
    throw error;
  });
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', startTicks: fields[19] ?? '' };
}

let boot: Promise<string> | null = null;

/** It stays the same as long as this process lives. */
function bootId(): Promise<string> {
  boot ??= readFile('/proc/sys/kernel/random/boot_id', 'utf8').then((text) => text.trim());
  return boot;
}
