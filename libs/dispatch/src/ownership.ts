/** The right of one scheduler process to run an architecture's dispatcher. */
export interface Ownership {
  arch: string;
  /** Rises with each change of owner, also after the database was restored; fences every write and every answer. */
  epoch: number;
}

/** Row leases on architectures, by PostgreSQL's clock. */
export interface OwnershipRegister {
  /**
   * Reports that this scheduler lives for `ttlMs` more. Returns the ids of all live schedulers including itself,
   * sorted. Entries that would last much longer, because PostgreSQL's clock was set back, last for `ttlMs` from now
   * on.
   */
  reportAlive(scheduler: string, ttlMs: number): Promise<string[]>;
  /** Claims the architecture if it has no living owner, or renews the claim of this scheduler; null when another owns it. */
  claim(arch: string, scheduler: string, ttlMs: number): Promise<Ownership | null>;
  /** Releases the architecture, so that another scheduler may claim it at once. */
  release(arch: string, scheduler: string): Promise<void>;
  /**
   * Stops counting this scheduler as live; it still owns its architectures. Returns the ids of the other live
   * schedulers, sorted. Entries that would last much longer than `ttlMs` are shortened as in `reportAlive`.
   */
  stepAside(scheduler: string, ttlMs: number): Promise<string[]>;
  /** Stops counting this scheduler as live, and releases all its architectures. */
  withdraw(scheduler: string): Promise<void>;
}
