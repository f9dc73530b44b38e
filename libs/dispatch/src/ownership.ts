/** The right of one scheduler process to run an architecture's dispatcher. */
export interface Ownership {
  arch: string;
  /** Rises with each change of owner, also after the database was restored; fences every write and every answer. */
  epoch: number;
}

/** Row leases on architectures, by PostgreSQL's clock. */
export interface OwnershipRegister {
  /**
   * Says that this scheduler lives for `ttlMs` more; answers the ids of all that live, itself included, sorted. Whatever
   * was to last for much longer, since PostgreSQL's clock was set back meanwhile, lasts for `ttlMs` from now on.
   */
  reportAlive(scheduler: string, ttlMs: number): Promise<string[]>;
  /** Takes the architecture if it has no living owner, or renews what this scheduler owns; null when another owns it. */
  claim(arch: string, scheduler: string, ttlMs: number): Promise<Ownership | null>;
  /** Gives the architecture up, so that another may claim it at once. */
  release(arch: string, scheduler: string): Promise<void>;
  /**
   * Withdraws the announcement, and nothing that is owned; answers the ids of the others that live, sorted. What was to last
   * for much longer than `ttlMs` is shortened likewise.
   */
  stepAside(scheduler: string, ttlMs: number): Promise<string[]>;
  /** Withdraws the announcement and everything owned. */
  withdraw(scheduler: string): Promise<void>;
}
