import type { S3Credentials, StoreSettings } from '@proctor/store';
import type { PackageLinkSection } from './package-link-section';
import type { RetentionSection } from './retention-section';
import type { SchedulerSection } from './scheduler-section';
import type { ApiSection, ServerFile } from './server-file';
import type { WorkerFile } from './worker-file';

/** The whole configuration of a deployment, validated and with every default filled in. */
export interface Configuration {
  /** Folder of everything that Proctor writes on this machine. */
  home: string;
  server: ServerConfiguration;
  /** The store of logs and artifacts of finished runs. */
  store: StoreSettings;
  scheduler: SchedulerSection;
  retention: RetentionSection;
  worker: WorkerConfiguration;
  /** Names of the sources that requests may list, with their apt lines. */
  extraAptSources: ExtraAptSource[];
  /** package → suite or * → arch or * → version or * → "". */
  rejectList: RejectList;
}

/** The api's part of proctor.yaml, and what all parts share. */
export interface ServerConfiguration
  extends ApiSection, Pick<ServerFile, 'suites' | 'architectures' | 'backends' | 'variants'> {
  /** Debian's own when the file has none and all suites are Debian's. */
  packageLinks: PackageLinkSection[];
  /** The first of the backends when the file names none. */
  defaultBackend: string;
}

/** worker.yaml, with absolute paths. */
export interface WorkerConfiguration extends WorkerFile {
  /** The name of the worker; by default the host name of the machine. */
  name: string;
}

export interface ExtraAptSource {
  name: string;
  lines: string[];
  signingKey?: string;
  /** User names; all users when absent. */
  users?: string[];
}

export type RejectList = Record<string, Record<string, Record<string, Record<string, ''>>>>;

/** Addresses and keys of the outside services, from the environment. */
export interface Connections {
  databaseUrl: string;
  /** Path of the file with the address of NATS and the credentials of this process. */
  natsCredentials: string;
  /** Credentials for the store's S3 server. */
  storeCredentials: S3Credentials;
}
