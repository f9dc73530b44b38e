import type { Needs } from './ability';
import type { RegisteredWorker } from './journal-records';

/** The register of workers as it was last read from the rows, from the view of one architecture. */
export class RegisteredWorkers {
  private byName: ReadonlyMap<string, RegisteredWorker>;

  constructor(
    private readonly arch: string,
    workers: readonly RegisteredWorker[],
  ) {
    this.byName = mapOf(workers);
  }

  /** Replaces the register by the rows that were read again. */
  replace(workers: readonly RegisteredWorker[]): void {
    this.byName = mapOf(workers);
  }

  /**
   * Why the sender of a message may not work on the architecture, for people; undefined when it may. Every message with which
   * a worker gets or reports something is checked by this.
   */
  whyNotRegistered({ worker }: { worker: string }): string | undefined {
    const { arch } = this;
    const record = this.byName.get(worker);
    if (record && !record.isRevoked && record.architectures.includes(arch)) return undefined;
    if (record && !record.isRevoked)
      return `worker ${worker} is not registered for ${arch}, but for ${record.architectures.join(', ')}`;
    const what = record ? 'was revoked' : 'is not registered';
    return `worker ${worker} ${what}; an administrator adds it with: proctor worker add ${worker} --arch ${arch}`;
  }

  /** Whether the worker may have such a run. */
  mayExecute(worker: string, { isPrivate }: Needs): boolean {
    return !isPrivate || this.mayRunPrivate(worker);
  }

  /** The names of the workers that may work on the architecture, sorted. */
  namesFor(arch: string): string[] {
    return [...this.byName.values()]
      .filter(({ isRevoked, architectures }) => !isRevoked && architectures.includes(arch))
      .map(({ worker }) => worker);
  }

  mayRunPrivate(worker: string): boolean {
    return this.byName.get(worker)?.mayRunPrivate ?? false;
  }

  /** Whether any worker of the architecture may run private tests. */
  anyPrivate(): boolean {
    return [...this.byName.values()].some(
      ({ isRevoked, mayRunPrivate, architectures }) =>
        !isRevoked && mayRunPrivate && architectures.includes(this.arch),
    );
  }
}

function mapOf(workers: readonly RegisteredWorker[]): ReadonlyMap<string, RegisteredWorker> {
  return new Map(workers.map((each) => [each.worker, each]));
}
