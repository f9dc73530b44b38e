import type { NeutralStatus } from '@proctor/contracts';
import type { S3Credentials, StoreSettings } from '@proctor/store';
import type { EventsSection } from './events-section';
import type { WebhooksSection } from './webhooks-section';
import type { LoginSection } from './login-section';
import type { PackageLinkSection } from './package-link-section';
import type { RetentionSection } from './retention-section';
import type { SchedulerSection } from './server-file';

/** The whole configuration of a deployment, validated and with every default filled in. */
export interface Configuration {
  /** Folder of everything that Proctor writes on this machine. */
  home: string;
  server: ServerConfiguration;
  /** Where logs and artifacts of finished runs are kept. */
  store: StoreSettings;
  scheduler: SchedulerSection;
  retention: RetentionSection;
  worker: WorkerConfiguration;
  /** Names of the sources that requests may list, with their apt lines. */
  extraAptSources: ExtraAptSource[];
  /** package → suite or * → arch or * → version or * → "". */
  rejectList: RejectList;
}

export interface ServerConfiguration {
  host: string;
  port: number;
  /** Where the api has health and metrics for monitors; port 0: nowhere. */
  metrics: { host: string; port: number };
  /** Suites that may be tested. The first is the default. */
  suites: string[];
  architectures: string[];
  backends: string[];
  defaultBackend: string;
  /** Names of autopkgtest variants; the first is the default. */
  variants: string[];
  /** What the API shows for autopkgtest's exit 8 (no tests, or all skipped). */
  neutral: NeutralStatus;
  /** Limits of a body with a list of tests, and of any other body. */
  bodyBytesMax: number;
  shortBodyBytesMax: number;
  itemsPerRequestMax: number;
  /** Limits of one test request: bytes of its trigger in UTF-8, bytes of all its pins, and names of extra apt sources. */
  triggerBytesMax: number;
  pinPackagesBytesMax: number;
  extraAptSourcesMax: number;
  historyLengthMax: number;
  /** Runs of a trigger that one request retries, cancels or refreshes the references of. */
  bulkRunsMax: number;
  /** How many names and patterns one user may follow. */
  followedPackagesMax: number;
  /** Address of a bug; `{bug}` stands for its number. */
  bugUrl: string;
  /** Limits of notes about failures: characters, bugs, and notes of one user on one package. */
  noteLengthMax: number;
  noteBugsMax: number;
  notesPerPackageMax: number;
  /** Where a bug is reported; with `{package}`, `{subject}` and `{body}`. */
  bugReportUrl: string;
  /** Links to other sites about a package; addresses with `{package}`, `{suite}`, `{arch}` and `{version}`. */
  packageLinks: PackageLinkSection[];
  /** A result that is older is shown as stale. */
  staleDays: number;
  /** How long a key counts as valid after it was loaded, if the signal of its revocation is lost; 0 to 60,000. */
  keysRememberedMs: number;
  /** How long the packages' own backends are cached; 0 to 60,000. */
  packageBackendsRememberedMs: number;
  /** A list of the packages of a suite that was not confirmed for longer causes no warnings. */
  sourceNamesAgeMaxMs: number;
  /** Requests that one api process accepts from one API key, or from one user at the endpoints of keys. */
  requestsPerSecondMax: number;
  requestsPerMinuteMax: number;
  /** The same for requests of one network without a key. */
  anonymousRequestsPerSecondMax: number;
  anonymousRequestsPerMinuteMax: number;
  /** Requests without a valid key that are answered at the same time; others wait for a place. */
  anonymousRequestsAtOnceMax: number;
  anonymousRequestsWaitingMax: number;
  /** Longest wait for a place. */
  anonymousWaitMs: number;
  /** Whether clients that are not logged in may read pages and public data. */
  anonymousMayRead: boolean;
  /** How old a public page or list may be that is expensive to build. */
  publicAgeMaxMs: number;
  /** All bodies that one api process holds at a time; a request without room for its body waits, then gets a 503. */
  bodiesBytesMax: number;
  bodyWaitMs: number;
  /** How long the rest of a refused body is read and discarded, so that its client can read the answer. */
  refusedBodyMs: number;
  /** How long a stopping process still accepts requests, while it reports that it is not ready. */
  leaveNoticeMs: number;
  /** Longest `wait` of a request for results; 0 to 60. */
  waitSecondsMax: number;
  /** How long before its end a key's page says that it expires soon. */
  keyExpiryWarningDays: number;
  /** Whether pages of other origins may read public data in a browser. */
  anyOriginMayRead: boolean;
  /** Wrong passwords for one user from one address; ten times as many from one address for all users. */
  passwordGuessesPerHourMax: number;
  /** How long a browser stays logged in, hours. */
  sessionHours: number;
  /** How people log in on pages; files of secrets have absolute paths. */
  login: LoginSection;
  events: EventsSection;
  webhooks: WebhooksSection;
  /** A client that needs longer to send its headers, or its whole request, is disconnected. */
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** How long a connection stays open for the next request; longer than clients and proxies keep an idle one. */
  keepAliveMs: number;
  /** A connection without traffic for this long is closed; longer than `waitSecondsMax`. */
  socketIdleMs: number;
  /** Limit of a process. */
  connectionsMax: number;
  /** Limit of one network to a process; a trusted proxy has none. */
  connectionsPerAddressMax: number;
  /** Addresses and networks of proxies in front of the api: their `X-Forwarded-For` names the client. */
  trustedProxies: string[];
  /** Regular expressions of lines that are errors, for logs without an index. */
  errorPatterns: string[];
  /** Notices at the head of each page, one line of Markdown each. */
  notices: string[];
  /** Address at which clients reach the api, for absolute links; when absent, each request's own host is named. */
  publicUrl?: string;
}

export interface WorkerConfiguration {
  name: string;
  slots: number;
  /** Networks that are prepared before a sandbox needs one; at most one for each slot. */
  networksReady: number;
  /** `detected` stands for the machine's own and all others that it can execute. */
  architectures: string[];
  /** Suites whose images are built at start; others when a run needs them. */
  suitesAtStart: string[];
  backends: string[];
  /** Backend name → one of autopkgtest's virtualisation servers and its arguments, with placeholders. */
  backendCommands: Record<string, string[]>;
  /** Classes of big packages for which each slot has room. */
  sizeClasses: string[];
  /** variant name → command and its first arguments. */
  variants: Record<string, string[]>;
  /** Folder of images and of the work area. */
  workPath: string;
  /** Size of one run's tmpfs. */
  runTmpfsBytes: number;
  /** Memory of one run; no limit when absent. */
  runMemoryBytesMax?: number;
  /** Processes and threads of one run. */
  runProcessesMax: number;
  /** Bytes that one run's test runner may write to the disk: its log, the output of tests, artifacts. */
  runOutputBytesMax: number;
  /** Wall-clock limit of one attempt. */
  runTimeoutMs: number;
  /** Package name, `*` at the end stands for anything → wall-clock limit of its attempts, in place of `runTimeoutMs`. */
  timeouts: Record<string, number>;
  /** Environment variables of every test. */
  environment: Record<string, string>;
  /** The worker accepts no work when less is free on the disk of `workPath` or in memory. */
  freeDiskBytesMin: number;
  freeInodesMin: number;
  freeMemoryBytesMin: number;
  /** The worker accepts no work while this many of its results have no answer from a dispatcher. */
  resultsWaitingMax: number;
  /** How long a slot waits for the answer to its result before it asks other architectures for work. */
  answerWaitMs: number;
  /** How long answers of a lower epoch are ignored before they are accepted. */
  lowerEpochWaitMs: number;
  imageAgeMaxMs: number;
  /** Whether the worker reports which packages the suites of its images have, so that users see them. */
  reportSourceNames: boolean;
  /** Bytes of a log's beginning that are streamed; of a log longer than both limits, this beginning and this end are kept. */
  logHeadBytesMax: number;
  logTailBytesMax: number;
  /** Regular expressions of lines that are errors, beside the built-in ones. */
  errorPatterns: string[];
  artifactsBytesMax: number;
  /**
   * Offers the `null` backend, which runs tests on the machine itself without any isolation of its files: only for a
   * machine that may be thrown away afterwards.
   */
  machineMayBeDestroyed: boolean;
  /** Absolute paths that tests may see beside the system's own, such as a tool, a mirror or the socket of a daemon. */
  visiblePaths: string[];
  /** Networks and addresses that no test can reach when the worker sets up its network: `169.254.0.0/16`, `fd20:ce::254`. */
  unreachableNetworks: string[];
  /** Where the worker has health and metrics for monitors; port 0: nowhere. */
  metrics: { host: string; port: number };
  /** apt lines of a suite's image instead of those derived from the host's own sources. */
  suiteSources: Record<string, string[]>;
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
