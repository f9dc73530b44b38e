/** The right of one scheduler process to run an architecture's dispatcher. */
export interface Ownership {
  arch: string;
  /** Rises with each change of owner, also after the database was restored; fences every write and every answer. */
  epoch: number;
}

/** Row leases on architectures, by PostgreSQL's clock. */
export interface OwnershipRegister {
  /**
   * Says that this scheduler lives for `ttlMs` more. Returns the ids of all that live, itself included, sorted. Anything that
   * would last much longer, because PostgreSQL's clock was set back meanwhile, lasts for `ttlMs` from now on.
   */
  reportAlive(scheduler: string, ttlMs: number): Promise<string[]>;
  /** Claims the architecture if it has no living owner, or renews the claim of this scheduler; null when another owns it. */
  claim(arch: string, scheduler: string, ttlMs: number): Promise<Ownership | null>;
  /** Releases the architecture, so that another scheduler may claim it at once. */
  release(arch: string, scheduler: string): Promise<void>;
  /**
   * This scheduler no longer counts as living, but still owns what it owns. Returns the ids of the others that live, sorted. What would last
   * much longer than `ttlMs` is shortened as above.
   */
  stepAside(scheduler: string, ttlMs: number): Promise<string[]>;
  /** This scheduler no longer counts as living, and owns nothing. */
  withdraw(scheduler: string): Promise<void>;
}
