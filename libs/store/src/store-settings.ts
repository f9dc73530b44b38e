/** Keeps results in a folder. */
interface FolderSettings {
  kind: 'folder';
  /** Created with the first result. */
  path: string;
}

/** Keeps results in a bucket of a server that speaks S3. */
export interface S3Settings {
  kind: 's3';
  /** The server's address; by default Amazon's address for the region. */
  endpoint?: string;
  region: string;
  bucket: string;
  /** The prefix of all object names; may be empty. */
  prefix: string;
  /** Whether an address has the bucket in its path rather than in its host name. */
  pathStyle: boolean;
  /** Connections of one process to the server. */
  connectionsMax: number;
  connectTimeoutMs: number;
  /**
   * How long the server may take to start its answer to a request, which has at most `partBytes`; for reading or
   * removing a file, the limit of all tries together.
   */
  answerTimeoutMs: number;
  /** A connection without traffic for this time is closed, even if the client does not read. */
  idleTimeoutMs: number;
  /** Length of an answer that is not a file: a page of a list, an error. A longer one is an error. */
  answerBytesMax: number;
  /** A larger file is uploaded in parts of this size; each upload holds up to three of them in memory. At least 5 MiB. */
  partBytes: number;
}

export type StoreSettings = FolderSettings | S3Settings;

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}
