import { setTimeout as pause } from 'node:timers/promises';
import type { AppProcess } from '@proctor/embedded';
import { LEASE_TTL_MS, OWNERSHIP_TTL_MS } from '../deployment';
import { aWhile, startAgain, type Fault, type FaultParts } from './fault';

export function killed(parts: FaultParts, app: AppProcess, awayMaxMs: number): Fault {
  const happen = async () => {
    app.kill('SIGKILL');
    await app.whenEnded;
    await aWhile(parts, 0, awayMaxMs);
    await startAgain(app);
  };
  return { title: `${app.name} killed`, of: app.name, happen };
}

export function frozen(app: AppProcess, ms: number): Fault {
  const happen = async () => {
    app.kill('SIGSTOP');
    await pause(ms);
    app.kill('SIGCONT');
  };
  return { title: `${app.name} frozen`, of: app.name, happen };
}

/** Longer than any lease. */
export const WORKER_FROZEN_MS = 2 * LEASE_TTL_MS;
/** Longer than any ownership. */
export const SCHEDULER_FROZEN_MS = 2 * OWNERSHIP_TTL_MS;

/** Another process with the name of one that works, for a while. */
export function doubled(parts: FaultParts, app: AppProcess): Fault {
  const happen = async () => {
    const twin = await parts.deployment.twinOf(app.name);
    await startAgain(twin);
    await aWhile(parts, 8_000, 15_000);
    await twin.stop();
  };
  return { title: `two workers named ${app.name}`, of: app.name, happen };
}
