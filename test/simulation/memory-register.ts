import type { RegisteredWorker } from '@proctor/dispatch';
import type { MemoryDecisions } from './memory-decisions';

/** The register of workers in memory. */
export class MemoryRegister {
  private rows = new Map<string, RegisteredWorker>();
  /** Workers that were revoked or forgotten, be they added again or not. */
  private readonly removedWorkers = new Set<string>();

  /**
   * @param architectures those that have a dispatcher
   * @param workers those that were there before anybody wrote orders
   */
  constructor(
    private readonly decisions: MemoryDecisions,
    private readonly architectures: () => string[],
    workers: RegisteredWorker[],
  ) {
    for (const row of workers) this.rows.set(row.worker, row);
  }

  /** @returns what brings the rows of now back */
  copy(): () => void {
    const rows = new Map(this.rows);
    return () => {
      for (const worker of this.rows.keys()) if (!rows.has(worker)) this.removedWorkers.add(worker);
      this.rows = rows;
    };
  }

  add(worker: string, architectures: string[], mayRunPrivate: boolean): void {
    this.rows.set(worker, { worker, architectures, mayRunPrivate, isRevoked: false });
    for (const arch of this.concerned(worker)) this.decisions.order(arch, { kind: 'register' });
  }

  /** Answers what it was; null when there is no such worker, or it was revoked before. */
  revoke(worker: string, by: string, reason: string | null = null): RegisteredWorker | null {
    const row = this.rows.get(worker);
    if (!row || row.isRevoked) return null;
    this.rows.set(worker, { ...row, isRevoked: true });
    this.removedWorkers.add(worker);
    for (const arch of this.concerned(worker))
      this.decisions.order(arch, { kind: 'revoke', worker, by, reason });
    return row;
  }

  /** All workers, sorted by name. */
  all(): RegisteredWorker[] {
    return [...this.rows.values()].sort((a, b) => (a.worker < b.worker ? -1 : 1));
  }

  mayWork(worker: string, arch: string): boolean {
    const row = this.rows.get(worker);
    return row !== undefined && !row.isRevoked && row.architectures.includes(arch);
  }

  /** Whether the worker is registered, for any architecture. */
  isKnown(worker: string): boolean {
    return this.rows.get(worker)?.isRevoked === false;
  }

  /** Whether it was ever revoked, or forgotten as the database was restored. */
  wasUnknown(worker: string): boolean {
    return this.removedWorkers.has(worker);
  }

  mayRunPrivate(worker: string): boolean {
    return this.rows.get(worker)?.mayRunPrivate ?? false;
  }

  private concerned(worker: string): Set<string> {
    return new Set([...this.architectures(), ...(this.rows.get(worker)?.architectures ?? [])]);
  }
}
