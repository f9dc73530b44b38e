/** The limits of one process on the database. Times are milliseconds. */
export interface DatabaseLimits {
  connectionsMax: number;
  /** Longest wait for a connection, new or from the pool. */
  connectTimeoutMs: number;
  /**
   * The time after which PostgreSQL cancels a statement. Shorter than `answerTimeoutMs`, so that the connection stays
   * usable.
   */
  statementTimeoutMs: number;
  /**
   * Longest wait for the answer to one statement, by the clock of this process; then the connection is destroyed. The
   * server may be frozen, or the network may drop packets.
   */
  answerTimeoutMs: number;
  /**
   * Longest time from the first to the last statement of a transaction. PostgreSQL 17 and newer also ends longer
   * transactions itself.
   */
  transactionTimeoutMs: number;
  /**
   * PostgreSQL ends a transaction whose client sends nothing for this long: it may hold rows that others wait for. A
   * dispatcher's turn has its own shorter limit, see `scheduler.turnTimeoutMs`.
   */
  idleInTransactionTimeoutMs: number;
  /** Longest search for the end of a transaction whose commit was not answered. */
  commitSearchTimeoutMs: number;
  /**
   * Longest wait of one request for all its calls together, including a search for the end of a commit: see
   * `asOneRequest`.
   */
  requestTimeoutMs: number;
  /** Longest wait for other processes that change the accounts of nats-server: see `WorkerRegister.applyAccounts`. */
  accountsWaitMs: number;
  /** Changes of more runs than this are split into several transactions. */
  rowsPerTransactionMax: number;
}

export const DATABASE_LIMITS: DatabaseLimits = {
  connectionsMax: 10,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 4_500,
  answerTimeoutMs: 5_000,
  transactionTimeoutMs: 10_000,
  idleInTransactionTimeoutMs: 4_000,
  commitSearchTimeoutMs: 1_500,
  requestTimeoutMs: 6_000,
  accountsWaitMs: 30_000,
  rowsPerTransactionMax: 1_000,
};

/**
 * The limits of the pool for public data: however many requests without a key arrive, they do not use the other pool.
 */
export const PUBLIC_DATABASE_LIMITS: DatabaseLimits = {
  ...DATABASE_LIMITS,
  connectionsMax: 4,
  transactionTimeoutMs: 5_000,
  // A page needs several statements that may each take long, and its request is not sent again without an answer.
  requestTimeoutMs: Infinity,
};
