import type { Needs } from './ability';
import type { DispatcherState } from './dispatcher-state';
import type { RegisteredWorker } from './journal';

/** The register of workers, as the rows had it when they were last read. */
export class RegisteredWorkers {
  private byName: ReadonlyMap<string, RegisteredWorker>;

  constructor(workers: readonly RegisteredWorker[]) {
    this.byName = mapOf(workers);
  }

  /** It was read again. */
  replace(workers: readonly RegisteredWorker[]): void {
    this.byName = mapOf(workers);
  }

  get(worker: string): RegisteredWorker | undefined {
    return this.byName.get(worker);
  }

  mayRunPrivate(worker: string): boolean {
    return this.byName.get(worker)?.mayRunPrivate ?? false;
  }

  /** Whether any worker of the architecture may run private tests. */
  anyPrivate(arch: string): boolean {
    return [...this.byName.values()].some(
      ({ isRevoked, mayRunPrivate, architectures }) =>
        !isRevoked && mayRunPrivate && architectures.includes(arch),
    );
  }
}

/**
 * Why the sender of a message may not work on the architecture, for people; undefined when it may. Every message by which a
 * worker gets or tells something is judged by this.
 */
export function whyNotRegistered(
  { arch, registered }: Pick<DispatcherState, 'arch' | 'registered'>,
  { worker }: { worker: string },
): string | undefined {
  const found = registered.get(worker);
  if (found && !found.isRevoked && found.architectures.includes(arch)) return undefined;
  if (found && !found.isRevoked)
    return `worker ${worker} is not registered for ${arch}, but for ${found.architectures.join(', ')}`;
  const what = found ? 'was revoked' : 'is not registered';
  return `worker ${worker} ${what}; an administrator adds it with: proctor worker add ${worker} --arch ${arch}`;
}

/** Whether the register lets the worker have such a run. */
export function mayExecute(
  { registered }: Pick<DispatcherState, 'registered'>,
  worker: string,
  { isPrivate }: Needs,
): boolean {
  return !isPrivate || registered.mayRunPrivate(worker);
}

function mapOf(workers: readonly RegisteredWorker[]): ReadonlyMap<string, RegisteredWorker> {
  return new Map(workers.map((each) => [each.worker, each]));
}
