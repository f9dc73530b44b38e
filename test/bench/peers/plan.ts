export type PeerName = 'graphile-worker' | 'pg-boss';

/** Jobs that a peer has in hand at a time. */
export const AT_ONCE = 24;

/** What a peer's process is told, as JSON in its environment. */
export interface PeerPlan {
  peer: PeerName;
  databaseUrl: string;
  jobs: number;
}
