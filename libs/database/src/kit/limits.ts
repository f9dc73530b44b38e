/** What one process may ask of the database. Times are milliseconds. */
export interface DatabaseLimits {
  connectionsMax: number;
  /** Longest wait for a connection, new or from the pool. */
  connectTimeoutMs: number;
  /** PostgreSQL cancels a statement after it. Shorter than `answerTimeoutMs`: the connection stays of use. */
  statementTimeoutMs: number;
  /**
   * Longest wait for the answer to one statement, by this process's own clock: the server may be frozen, or whatever
   * lies between may drop what is sent. The connection is destroyed then.
   */
  answerTimeoutMs: number;
  /**
   * Longest time from the first statement of a transaction to its last. PostgreSQL ends one that takes longer where it
   * knows such a limit (from 17 on).
   */
  transactionTimeoutMs: number;
  /**
   * A transaction whose client says nothing for so long is ended: it may hold rows that others wait for. A dispatcher's
   * turn has a shorter limit of its own, see `scheduler.turnTimeoutMs`.
   */
  idleInTransactionTimeoutMs: number;
  /** Longest search for the end of a transaction whose commit was not answered. */
  commitSearchTimeoutMs: number;
  /** Longest wait of one request for all its calls together, such a search included: see `asOneRequest`. */
  requestTimeoutMs: number;
  /** Longest wait for others that change the accounts of nats-server: see `WorkerRegister.applyAccounts`. */
  accountsWaitMs: number;
  /** Changes of more runs are made in several transactions. */
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

/** Of the pool for public data: however many requests without a key come, they leave the other pool alone. */
export const PUBLIC_DATABASE_LIMITS: DatabaseLimits = {
  ...DATABASE_LIMITS,
  connectionsMax: 4,
  transactionTimeoutMs: 5_000,
  // A page is made of several statements that may each take long, and is not sent again for lack of an answer.
  requestTimeoutMs: Infinity,
};
