import type { MaintainedStore } from '@proctor/store';

/** What a store keeps its files in: a folder, or an S3 server. */
export interface StoreServer {
  store: MaintainedStore;
  /** The names that anything is kept under, be it half of a file. */
  names(): Promise<string[]>;
  /** From now on it is out of reach. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** A file of this size is kept in several parts, where that is done at all. */
export const SEVERAL_PARTS_BYTES = 24 * 1024 * 1024;
