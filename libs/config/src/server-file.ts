import {
  NEUTRAL_STATUSES,
  PROTOCOL,
  PROTOCOL_OLDEST,
  REQUEST_LIMITS,
  type NeutralStatus,
  type RequestLimits,
} from '@proctor/contracts';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { Type } from 'class-transformer';
import { AtStart } from './at-start';
import { EventsSection } from './events-section';
import { OfShape } from './in-schema';
import { LoginSection } from './login-section';
import { PackageLinkSection } from './package-link-section';
import { RetentionSection } from './retention-section';
import { MetricsSection } from './metrics-section';
import { MailSection } from './mail-section';
import { WebhooksSection } from './webhooks-section';
import {
  ArchitectureList,
  Count,
  Expressions,
  HOST,
  Milliseconds,
  NameList,
  NoticeTexts,
  ProxyList,
  Section,
  SizeClasses,
  Weights,
} from './rules';
import { ListeningHost, Path, UrlTemplate } from './address-rules';
import { PublicUrl } from './public-url';

/** Large enough for a page of a bucket's list with the longest names. */
const ANSWER_BYTES_MIN = 1024 * 1024;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** The minimum of S3 for every part but the last. */
const PART_BYTES_MIN = 5 * 1024 * 1024;
/** Parts are held in memory. */
const PART_BYTES_MAX = 256 * 1024 * 1024;

const PACKAGE_LINKS_MAX = 20;

/** A value reaches the test runner in one argument of a program, which has at most 128 KiB with its name and the rest. */
const ARGUMENT_BYTES_MAX = 98_304;

export class ApiSection {
  @AtStart() @ListeningHost() host = '127.0.0.1';
  @AtStart() @IsInt() @Min(0) @Max(65535) port = 8080;
  /** The address on which the api serves health and metrics for monitors; with port 0 it serves none. */
  @AtStart() @Section(() => MetricsSection) metrics = new MetricsSection();
  /** What the API shows for autopkgtest's exit 8 (no tests, or all skipped). */
  @IsIn(NEUTRAL_STATUSES) neutral: NeutralStatus = 'pass';
  /** Limits of a body with a list of tests, and of any other body. */
  @Count() bodyBytesMax = 32 * 1024 * 1024;
  @Count() shortBodyBytesMax = 1024 * 1024;
  @Count() itemsPerRequestMax = 20_000;
  /** Limits of one test request: bytes of its trigger in UTF-8, bytes of all its pins, and names of extra apt sources. */
  @IsInt() @Min(1) @Max(ARGUMENT_BYTES_MAX) triggerBytesMax = 65_536;
  @IsInt() @Min(1) @Max(ARGUMENT_BYTES_MAX) pinPackagesBytesMax = 32_768;
  @IsInt() @Min(0) @Max(1_000) extraAptSourcesMax = 20;
  @Count() historyLengthMax = 500;
  /** Runs of a trigger that one request retries, cancels or refreshes the references of. */
  @Count() bulkRunsMax = 500;
  /** How many packages, patterns, runs and triggers one user may follow. */
  @Count() followedPackagesMax = 200;
  /** Address of a bug; `{bug}` stands for its number. */
  @UrlTemplate(['https://', 'http://'], ['bug'], 'bug') bugUrl = 'https://bugs.debian.org/{bug}';
  /** Limits of notes about failures: characters, bugs, and notes of one user on one package. */
  @Count() noteLengthMax = 2_000;
  @Count() noteBugsMax = 10;
  @Count() notesPerPackageMax = 20;
  /** The address at which a bug is reported, with `{package}`, `{subject}` and `{body}`. */
  @UrlTemplate(['https://', 'http://', 'mailto:'], ['package', 'subject', 'body']) bugReportUrl =
    'mailto:submit@bugs.debian.org?subject={subject}&body={body}';
  /** Links to other sites about a package; addresses with `{package}`, `{suite}`, `{arch}` and `{version}`. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(PACKAGE_LINKS_MAX)
  @ArrayUnique(({ name, url }: PackageLinkSection) => `${name} ${url}`, {
    message: 'each link needs a name or an address of its own',
  })
  @ValidateNested()
  @Type(() => PackageLinkSection)
  @OfShape(() => PackageLinkSection)
  packageLinks?: PackageLinkSection[];
  /** A result that is older is shown as stale. */
  @IsInt() @Min(1) @Max(3_650) staleDays = 30;
  /** Regular expressions of lines that are errors, for logs without an index. */
  @Expressions() errorPatterns: string[] = [];
  /** Notices at the head of each page, one line of Markdown each. */
  @NoticeTexts() notices: string[] = [];
  /** How long a key counts as valid after it was loaded, if the signal of its revocation is lost; 0 to 60,000. */
  @IsInt() @Min(0) @Max(60_000) keysRememberedMs = 1_000;
  /** How long the packages' own backends are cached; 0 to 60,000. */
  @IsInt() @Min(0) @Max(60_000) packageBackendsRememberedMs = 1_000;
  /** A list of the packages of a suite that was not confirmed for longer causes no warnings. */
  @Milliseconds() sourceNamesAgeMaxMs = 7 * 24 * 60 * 60 * 1000;
  /** Requests that one api process accepts from one API key, or from one user at the endpoints of keys. */
  @Count() requestsPerSecondMax = 1_000;
  @Count() requestsPerMinuteMax = 60_000;
  /** Whether clients that are not logged in may read pages and public data. */
  @IsBoolean() anonymousMayRead = true;
  /** Requests that one api process accepts from one network without a key. */
  @Count() anonymousRequestsPerSecondMax = 500;
  @Count() anonymousRequestsPerMinuteMax = 30_000;
  /** Requests without a valid key that are answered at the same time; others wait for a place. */
  @Count() anonymousRequestsAtOnceMax = 8;
  @Count() anonymousRequestsWaitingMax = 1_000;
  /** Longest wait for a place. */
  @Milliseconds() anonymousWaitMs = 5_000;
  /** How old a public page or list may be that is expensive to build. */
  @IsInt() @Min(0) @Max(3_600_000) publicAgeMaxMs = 10_000;
  /** All bodies that one api process holds at a time; a request without room for its body waits, then gets a 503. */
  @Count() bodiesBytesMax = 128 * 1024 * 1024;
  @Milliseconds() bodyWaitMs = 5_000;
  /** How long the rest of a refused body is read and discarded, so that its client can read the answer. */
  @Milliseconds() refusedBodyMs = 5_000;
  /** Longest `wait` of a request for results; 0 to 60. */
  @IsInt() @Min(0) @Max(60) waitSecondsMax = 60;
  /** How long before its end a key's page says that it expires soon. */
  @IsInt() @Min(0) @Max(365) keyExpiryWarningDays = 14;
  /** Whether pages of other origins may read public data in a browser. */
  @IsBoolean() anyOriginMayRead = true;
  /** Wrong passwords for one user from one address; ten times as many from one address for all users. */
  @Count() passwordGuessesPerHourMax = 20;
  /** How long a browser stays logged in, hours. */
  @IsInt() @Min(1) @Max(8_760) sessionHours = 168;
  /** How people log in on pages; paths of secret files are absolute once loaded. */
  @Section(() => LoginSection) login = new LoginSection();
  @Section(() => EventsSection) events = new EventsSection();
  @Section(() => WebhooksSection) webhooks = new WebhooksSection();
  /** Without it the service sends no mail. */
  @IsOptional() @Section(() => MailSection) mail?: MailSection;
  /** A client that needs longer to send its headers, or its whole request, is disconnected. */
  @AtStart() @Milliseconds() headersTimeoutMs = 20_000;
  @AtStart() @Milliseconds() requestTimeoutMs = 300_000;
  /** How long a connection stays open for the next request; longer than clients and proxies keep an idle one. */
  @AtStart() @Milliseconds() keepAliveMs = 75_000;
  /** A connection without traffic for this long is closed; longer than `waitSecondsMax`. */
  @AtStart() @Milliseconds() socketIdleMs = 120_000;
  /** Limit of a process. */
  @AtStart() @Count() connectionsMax = 10_000;
  /** Limit of one network to a process; a trusted proxy has none. */
  @AtStart() @Count() connectionsPerAddressMax = 5_000;
  /** How long a stopping process still accepts requests, while it reports that it is not ready. */
  @IsInt() @Min(0) @Max(60_000) leaveNoticeMs = 0;
  /** Addresses and networks of proxies in front of the api: their `X-Forwarded-For` names the client. */
  @AtStart() @ProxyList() trustedProxies: string[] = [];
  /** Address at which clients reach the api, for absolute links; when absent, each request's own host is named. */
  @IsOptional() @PublicUrl() publicUrl?: string;
}

export class RetrySection {
  /** Attempts that expired, were lost or failed before the run ends as tmpfail. */
  @Count() attemptsMax = 3;
  /** How long a run waits after the first of them; doubles with each further one. */
  @Milliseconds() delayMs = 30_000;
  @Milliseconds() delayMaxMs = 600_000;
}

export class FairShareSection {
  /** Used slot time counts half after this time. */
  @Milliseconds() halfLifeMs = 3_600_000;
  /** User name → share of slot time compared with others; 1 when absent. */
  @Weights() weights: Record<string, number> = {};
}

/** A waiting run rises by one level of priority per `stepMs`, at most `stepsMax` times. */
export class AgeingSection {
  @Milliseconds() stepMs = 21_600_000;
  @IsInt() @Min(0) @Max(9) stepsMax = 2;
}

/**
 * How much of a long queue a dispatcher has in memory: of the runs that were never granted, the first of each suite, backend,
 * variant, priority and user, public and private runs separately.
 */
export class WindowSection {
  /** Runs that are read at a time; memory holds twice as many, unless a decision needs more. */
  @Count() runsMax = 150;
  /** The next are read when fewer than this are in memory; at most `runsMax`. */
  @Count() refillBelow = 50;
  /** The runs that are not in memory are counted in blocks of this many. */
  @Count() blockRuns = 200;
}

/** How many runs may be executed at the same time on an architecture; no cap when absent. */
export class CapsSection {
  @IsOptional() @Count() perRequestorMax?: number;
  @IsOptional() @Count() perPackageMax?: number;
  @IsOptional() @Count() perSuiteMax?: number;
}

export class BlameSection {
  /** A worker is quarantined or slowed after this many failures in a row, each of another package. */
  @Count() failuresMax = 3;
  /**
   * After this many failed attempts of a package, on workers that later proved sound, a run whose attempt fails is not
   * tried again.
   */
  @Count() occasionsMax = 3;
  /** A slowed worker waits this long between two runs; twice as long after each further failure of another package. */
  @Milliseconds() slowedMs = 5_000;
  @Milliseconds() slowedMaxMs = 60_000;
  /** The time between a failed canary test and the next one. */
  @Milliseconds() canaryMs = 60_000;
  /** How long a worker is quarantined that failed soon after a passed canary test; twice as long each time. */
  @Milliseconds() quarantineMs = 600_000;
  @Milliseconds() quarantineMaxMs = 3_600_000;
  @Milliseconds() canaryTimeoutMs = 600_000;
}

/** Limits of the requests of one worker, for each kind and each architecture. */
export class RequestsSection implements RequestLimits {
  /** Requests in a second; twice as many at once. The others are answered late. */
  @AtStart() @Count() perSecondMax = REQUEST_LIMITS.perSecondMax;
  /** Their bytes in a second; twice as many at once. */
  @AtStart() @Count() bytesPerSecondMax = REQUEST_LIMITS.bytesPerSecondMax;
  /** How many further requests wait; others are refused. */
  @AtStart() @Count() lateMax = REQUEST_LIMITS.lateMax;
  /** How long the requests of a worker are ignored after some were refused; doubles each time. */
  @AtStart() @Milliseconds() shunMinMs = REQUEST_LIMITS.shunMinMs;
  @AtStart() @Milliseconds() shunMaxMs = REQUEST_LIMITS.shunMaxMs;
}

export class SchedulerSection {
  @AtStart() @Milliseconds() leaseTtlMs = 60_000;
  @AtStart() @Milliseconds() leaseRenewMs = 15_000;
  @AtStart() @Milliseconds() ownershipTtlMs = 5_000;
  /** How many servers of a NATS cluster have a copy of each stream. */
  @AtStart() @IsIn([1, 3, 5]) streamReplicas = 1;
  /** How long the database may need for one turn of a dispatcher. After that the turn has failed, and the next ingests fewer rows. */
  @Milliseconds() turnTimeoutMs = 2_000;
  /** How often a dispatcher checks for runs whose signal was lost. */
  @Milliseconds() arrivalPollMs = 5_000;
  /** How long a worker with idle slots waits before one of them asks again without a signal. */
  @Milliseconds() askAgainMs = 5_000;
  /** Workers of an older protocol are granted nothing. */
  @IsInt() @Min(1) @Max(PROTOCOL) workerProtocolMin = PROTOCOL_OLDEST;
  @Section(() => RetrySection) retry = new RetrySection();
  @Section(() => FairShareSection) fairShare = new FairShareSection();
  @Section(() => AgeingSection) ageing = new AgeingSection();
  @Section(() => CapsSection) caps = new CapsSection();
  @Section(() => WindowSection) window = new WindowSection();
  /**
   * Name of a class → packages; `*` at the end stands for anything. These packages are tested only in slots that
   * declare the class.
   */
  @SizeClasses() sizeClasses: Record<string, string[]> = {};
  @Section(() => BlameSection) blame = new BlameSection();
  @AtStart() @Section(() => RequestsSection) requests = new RequestsSection();
  @Count() mailboxLengthMax = 10_000;
  @Count() turnMessagesMax = 500;
  @AtStart() @Section(() => MetricsSection) metrics = new MetricsSection();
  /** The address to which spans of finished runs are sent by OTLP over HTTP; by default they are not sent. */
  @AtStart()
  @IsOptional()
  @IsUrl({
    protocols: ['http', 'https'],
    require_protocol: true,
    require_tld: false,
    disallow_auth: true,
    // No request sends it.
    allow_fragments: false,
  })
  tracesUrl?: string;
  /** How often the staging areas are swept. */
  @Milliseconds() stagingSweepMs = 600_000;
  /** An upload that did not grow for this long, and whose report is not awaited, is removed. */
  @Milliseconds() stagingIdleMaxMs = 3_600_000;
}

export class StoreSection {
  @AtStart() @IsIn(['folder', 's3']) kind: 'folder' | 's3' = 'folder';
  @AtStart() @Path() path = 'store';
  @AtStart()
  @IsOptional()
  @IsUrl({
    protocols: ['http', 'https'],
    require_protocol: true,
    require_tld: false,
    disallow_auth: true,
    // No request to the store sends them.
    allow_query_components: false,
    allow_fragments: false,
  })
  endpoint?: string;
  @AtStart() @Matches(/^[a-zA-Z0-9-]{1,63}$/) region = 'us-east-1';
  @AtStart() @IsOptional() @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/) bucket?: string;
  @AtStart()
  @Matches(/^([\w.-]+\/)*$/, { message: 'prefix must be empty or names that each end in a slash' })
  @MaxLength(500)
  prefix = '';
  @AtStart() @IsBoolean() pathStyle = true;
  @AtStart() @Count() connectionsMax = 200;
  @AtStart() @Milliseconds() connectTimeoutMs = 5_000;
  @AtStart() @Milliseconds() answerTimeoutMs = 60_000;
  @AtStart() @Milliseconds() idleTimeoutMs = 300_000;
  @AtStart() @IsInt() @Min(ANSWER_BYTES_MIN) @Max(ANSWER_BYTES_MAX) answerBytesMax = ANSWER_BYTES_MIN;
  @AtStart() @IsInt() @Min(PART_BYTES_MIN) @Max(PART_BYTES_MAX) partBytes = PART_BYTES_MIN;
}

/** config/proctor.yaml */
export class ServerFile {
  /** Suites that may be tested. The first is the default. */
  @NameList() suites: string[] = [HOST];
  @ArchitectureList() architectures: string[] = [HOST];
  @NameList() backends: string[] = ['unshare'];
  @IsOptional() @IsString() @MaxLength(100) defaultBackend?: string;
  /** Names of autopkgtest variants; the first is the default. */
  @NameList() variants: string[] = ['autopkgtest'];
  @Section(() => StoreSection) store = new StoreSection();
  @Section(() => ApiSection) api = new ApiSection();
  @Section(() => SchedulerSection) scheduler = new SchedulerSection();
  @Section(() => RetentionSection) retention = new RetentionSection();
}
