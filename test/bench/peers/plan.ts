export type PeerName = 'graphile-worker' | 'pg-boss';

/** Jobs that a peer has in hand at a time. */
export const AT_ONCE = 24;

/** The settings of a peer's process, as JSON in its environment. */
export interface PeerPlan {
  peer: PeerName;
  databaseUrl: string;
  jobs: number;
}

/** A peer on its database, made ready; jobs that do nothing. */
export interface Peer {
  add(jobs: number): Promise<void>;
  /** Executes all jobs that were added; resolves when the last is completed. */
  execute(jobs: number): Promise<void>;
  close(): Promise<void>;
}
