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
  /** Where the api tells monitors how it is; port 0: nowhere. */
  metrics: { host: string; port: number };
  /** Suites that may be tested. The first is the default. */
  suites: string[];
  architectures: string[];
  backends: string[];
  defaultBackend: string;
  /** Names of autopkgtest variants; the first is the default. */
  variants: string[];
  /** What the API says for autopkgtest's exit 8 (no tests, or all skipped). */
  neutral: NeutralStatus;
  /** Of a body that holds a list of tests, and of any other. */
  bodyBytesMax: number;
  shortBodyBytesMax: number;
  itemsPerRequestMax: number;
  /** Of one test request: bytes of its trigger in UTF-8, of its pins in all, and names of extra apt sources. */
  triggerBytesMax: number;
  pinPackagesBytesMax: number;
  extraAptSourcesMax: number;
  historyLengthMax: number;
  /** Runs of a trigger that one request retries, cancels or refreshes the references of. */
  bulkRunsMax: number;
  /** Names and patterns that one user follows. */
  followedPackagesMax: number;
  /** Where the bug of a number is: `{bug}` is put in. */
  bugUrl: string;
  /** Of a note about failures: characters, bugs, and notes of one user on one package. */
  noteLengthMax: number;
  noteBugsMax: number;
  notesPerPackageMax: number;
  /** Where a bug is reported: `{package}`, `{subject}` and `{body}` are put in. */
  bugReportUrl: string;
  /** What others know of a package: `{package}`, `{suite}`, `{arch}` and `{version}` are put into the addresses. */
  packageLinks: PackageLinkSection[];
  /** A result that is older is shown as stale. */
  staleDays: number;
  /** How long a key may be taken for valid after it was looked up, should the signal be lost that it is not; 0 to 60,000. */
  keysRememberedMs: number;
  /** How long the backends of packages that have one of their own may be taken for what they were; 0 to 60,000. */
  packageBackendsRememberedMs: number;
  /** A list of the packages of a suite that was not seen to be right for longer warns of no request. */
  sourceNamesAgeMaxMs: number;
  /** Requests of one API key, or of one user to the endpoints of keys, that one api process takes. */
  requestsPerSecondMax: number;
  requestsPerMinuteMax: number;
  /** The same of one network, for what is asked without a key. */
  anonymousRequestsPerSecondMax: number;
  anonymousRequestsPerMinuteMax: number;
  /** Requests without a valid key that are answered at the same time; others wait for a place. */
  anonymousRequestsAtOnceMax: number;
  anonymousRequestsWaitingMax: number;
  /** Longest wait for a place. */
  anonymousWaitMs: number;
  /** Whether who is not known may read pages and public data. */
  anonymousMayRead: boolean;
  /** How old a public page or list may be that takes long to make. */
  publicAgeMaxMs: number;
  /** All bodies that one api process holds at a time; a request whose body finds no room waits, then gets a 503. */
  bodiesBytesMax: number;
  bodyWaitMs: number;
  /** How long the rest of a refused body is read and dropped, so that its client gets to reading the answer. */
  refusedBodyMs: number;
  /** How long a process that is to end still takes requests, while it says that it is not ready. */
  leaveNoticeMs: number;
  /** Longest `wait` of a request for results; 0 to 60. */
  waitSecondsMax: number;
  /** How long before its end a key's page says that it expires soon. */
  keyExpiryWarningDays: number;
  /** Whether browsers let pages of other origins read what is public. */
  anyOriginMayRead: boolean;
  /** Wrong passwords for one user from one address; an address may guess ten times as often over all users. */
  passwordGuessesPerHourMax: number;
  /** How long a browser stays logged in, hours. */
  sessionHours: number;
  /** How people log in on pages; files of secrets have absolute paths. */
  login: LoginSection;
  events: EventsSection;
  webhooks: WebhooksSection;
  /** A client that takes longer to send its headers, or its whole request, is disconnected. */
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** How long a connection stays open for the next request; longer than clients and proxies keep an idle one. */
  keepAliveMs: number;
  /** A connection on which nothing moves for so long is closed; longer than `waitSecondsMax`. */
  socketIdleMs: number;
  /** Of a process. */
  connectionsMax: number;
  /** Of a network, to a process; a trusted proxy has no such bound. */
  connectionsPerAddressMax: number;
  /** Addresses and networks of proxies in front of the api: their `X-Forwarded-For` tells who asks. */
  trustedProxies: string[];
  /** Of lines that tell of an error, in logs that came without an index: regular expressions. */
  errorPatterns: string[];
  /** What the head of each page tells its readers: a line of Markdown each. */
  notices: string[];
  /** Address at which clients reach the api, for absolute links; when absent, each request's own host is named. */
  publicUrl?: string;
}

export interface WorkerConfiguration {
  name: string;
  slots: number;
  /** Networks that are up before a sandbox needs one; no more than there are slots. */
  networksReady: number;
  /** `detected` stands for the machine's own and all others that it is found to execute. */
  architectures: string[];
  /** Suites whose images are built at start; others when a run asks. */
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
  /** Memory of one run; no limit of its own when absent. */
  runMemoryBytesMax?: number;
  /** Processes and threads of one run. */
  runProcessesMax: number;
  /** What one run's test runner may write to the disk: its log, the output of tests, artifacts. */
  runOutputBytesMax: number;
  /** Wall-clock limit of one attempt. */
  runTimeoutMs: number;
  /** Package name, `*` at the end stands for anything → wall-clock limit of its attempts, in place of `runTimeoutMs`. */
  timeouts: Record<string, number>;
  /** Environment variables of every test. */
  environment: Record<string, string>;
  /** With less free, on the disk of `workPath` or in memory, the worker takes no work. */
  freeDiskBytesMin: number;
  freeInodesMin: number;
  freeMemoryBytesMin: number;
  /** With so many results that no dispatcher has answered, the worker takes no work. */
  resultsWaitingMax: number;
  /** How long a slot waits for the answer to its result before it asks other architectures for work. */
  answerWaitMs: number;
  /** How long answers of a lower epoch alone are ignored before they are believed. */
  lowerEpochWaitMs: number;
  imageAgeMaxMs: number;
  /** Whether the service may know which packages the suites of its images have, and name them to its users. */
  reportSourceNames: boolean;
  /** So much of a log's beginning is streamed; one longer than both limits together keeps that and so much of its end. */
  logHeadBytesMax: number;
  logTailBytesMax: number;
  /** Of lines that tell of an error, beside those that are known anyway: regular expressions. */
  errorPatterns: string[];
  artifactsBytesMax: number;
  /**
   * Offers the `null` backend, which runs tests on the machine itself without any isolation of its files: only for a
   * machine that may be thrown away afterwards.
   */
  machineMayBeDestroyed: boolean;
  /** Absolute paths that tests may see, beside the system's own; a tool of theirs, a mirror, a daemon's socket. */
  visiblePaths: string[];
  /** Networks and addresses that no test reaches, where the worker makes its network: `169.254.0.0/16`, `fd20:ce::254`. */
  unreachableNetworks: string[];
  /** Where the worker tells its health and metrics; port 0: nowhere. */
  metrics: { host: string; port: number };
  /** apt lines of a suite's image instead of those derived from the host's own sources. */
  suiteSources: Record<string, string[]>;
}

export interface ExtraAptSource {
  name: string;
  lines: string[];
  signingKey?: string;
  /** User names; everybody when absent. */
  users?: string[];
}

export type RejectList = Record<string, Record<string, Record<string, Record<string, ''>>>>;

/** Addresses and keys of the outside services, from the environment. */
export interface Connections {
  databaseUrl: string;
  /** Path of the file that names the server of NATS and the user to be there. */
  natsCredentials: string;
  /** What the store's S3 server knows us by. */
  storeCredentials: S3Credentials;
}
