/** What one process may ask of the database. */
export interface DatabaseLimits {
  connectionsMax: number;
  /** Longest wait for a connection, new or from the pool. */
  connectTimeoutMs: number;
  /** A statement, and a whole transaction where the server knows such a limit (PostgreSQL 17), is cancelled after it. */
  transactionTimeoutMs: number;
  /**
   * A transaction whose client says nothing for so long is ended. Short: the row that fences a dispatcher stays locked
   * meanwhile, and a dead scheduler's architectures must be taken over within 10 s.
   */
  idleInTransactionTimeoutMs: number;
}

export const DATABASE_LIMITS: DatabaseLimits = {
  connectionsMax: 10,
  connectTimeoutMs: 5_000,
  transactionTimeoutMs: 10_000,
  idleInTransactionTimeoutMs: 4_000,
};

/** Of the pool that serves what everybody may see: however many strangers ask, the other pool is left to the rest. */
export const PUBLIC_DATABASE_LIMITS: DatabaseLimits = {
  ...DATABASE_LIMITS,
  connectionsMax: 4,
  transactionTimeoutMs: 5_000,
};
