import type { LeaseRequest } from '@proctor/contracts';
import type { DispatcherState } from './dispatcher-state';

/** Whether the process is admitted; false if another process with its name counts as alive. */
export function isAdmitted(state: DispatcherState, request: LeaseRequest, now: number): boolean {
  const { leases, settings } = state;
  return state.lives.admits(request, now, ({ incarnation, lastMessageMs }) => {
    const silentMs = now - Math.max(lastMessageMs, state.expiry.reachableSinceMs);
    return silentMs < settings.leaseTtlMs || leases.areHeldBy(request.worker, incarnation);
  });
}

/** The answer to a process that is not admitted. */
export function whyRefused({ settings }: DispatcherState, worker: string): string {
  return (
    `another process that calls itself worker ${worker} is alive: this one is granted nothing until that one was ` +
    `silent for ${Math.ceil(settings.leaseTtlMs / 1000)} s; each worker needs a name of its own`
  );
}

/** The warning to the process that has the name while another one uses it; undefined when none does. */
export function rivalNotice(state: DispatcherState, worker: string, now: number): string | undefined {
  if (!state.lives.hasRivalSince(worker, now - state.settings.leaseTtlMs)) return undefined;
  return `another process calls itself worker ${worker}, too, and is granted nothing; each needs a name of its own`;
}
