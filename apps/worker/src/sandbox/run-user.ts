/** One range of subuid(5) or subgid(5). */
export interface SubordinateIds {
  start: number;
  count: number;
}

export interface RunAccount {
  name: string;
  uid: number;
  gid: number;
  /** True: the worker is root and becomes this user; false: it is this user. */
  switched: boolean;
}

export interface RunUser extends RunAccount {
  subUids: SubordinateIds;
  subGids: SubordinateIds;
  /** It may open the tun device itself. */
  opensTun: boolean;
}
