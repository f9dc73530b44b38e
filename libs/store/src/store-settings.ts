/** Keeps results in a folder. */
export interface FolderSettings {
  kind: 'folder';
  /** Made when the first result comes. */
  path: string;
}

/** Keeps results in a bucket of a server that speaks S3. */
export interface S3Settings {
  kind: 's3';
  /** The server's address; Amazon's own of the region when absent. */
  endpoint?: string;
  region: string;
  bucket: string;
  /** What the names of all objects begin with; may be empty. */
  prefix: string;
  /** Whether the bucket is named in the path of an address rather than in its host name. */
  pathStyle: boolean;
  /** Connections that one process has to the server. */
  connectionsMax: number;
  connectTimeoutMs: number;
  /**
   * How long the server may take to begin an answer once a request was sent, which is at most `partBytes` long; to read
   * or remove a file, all tries together.
   */
  answerTimeoutMs: number;
  /** A connection on which nothing moves for so long is broken off, be it for a client that does not read. */
  idleTimeoutMs: number;
  /** Of any answer that is no file: a page of a list, an error. A longer one is an error. */
  answerBytesMax: number;
  /** A larger file is uploaded in parts of this size; each upload holds up to three of them in memory. At least 5 MiB. */
  partBytes: number;
}

export type StoreSettings = FolderSettings | S3Settings;

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}
