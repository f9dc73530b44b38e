import { NEUTRAL_STATUSES, type NeutralStatus } from '@proctor/contracts';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
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
import { SchedulerSection } from './scheduler-section';
import { StoreSection } from './store-section';
import { SupersedeSection } from './supersede-section';
import {
  ArchitectureList,
  Count,
  Expressions,
  HOST,
  TextLine,
  Milliseconds,
  NameList,
  NoticeTexts,
  Section,
} from './rules';
import { ListeningHost, ProxyList, UrlTemplate } from './address-rules';
import { PublicUrl } from './public-url';

const PACKAGE_LINKS_MAX = 20;
const SERVICE_NAME_LENGTH_MAX = 40;
const SERVICE_DESCRIPTION_LENGTH_MAX = 300;

/** A value reaches the test runner in one argument of a program, which has at most 128 KiB with its name and the rest. */
const ARGUMENT_BYTES_MAX = 98_304;

export class ApiSection {
  @AtStart() @ListeningHost() host = '127.0.0.1';
  @AtStart() @IsInt() @Min(0) @Max(65535) port = 8080;
  /** The address on which the api serves health and metrics for monitors; with port 0 it serves none. */
  @AtStart() @Section(() => MetricsSection) metrics = new MetricsSection();
  /** Name of the service, in titles, at the head of pages and as the author of feeds; and what it is, for its first page. */
  @TextLine(SERVICE_NAME_LENGTH_MAX) serviceName = 'Proctor';
  @IsOptional() @TextLine(SERVICE_DESCRIPTION_LENGTH_MAX) serviceDescription?: string;
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
  /** Suites in which a request ends runs of the same test with an older version in their trigger. */
  @IsArray()
  @ArrayUnique(({ suite }: SupersedeSection) => suite, { message: 'each suite may be named once' })
  @ValidateNested()
  @Type(() => SupersedeSection)
  @OfShape(() => SupersedeSection)
  supersede: SupersedeSection[] = [];
  /** A result that is older is shown as stale. */
  @IsInt() @Min(1) @Max(3_650) staleDays = 30;
  /** How long some lines of a log are read, and how long a log is searched. */
  @Milliseconds() logReadMs = 3_000;
  @Milliseconds() logSearchMs = 2_000;
  /** How long a file, or its stored index, is read for the index of a log or of artifacts. */
  @Milliseconds() indexMs = 20_000;
  /** How long api and scheduler read a stored index for the packages of a testbed, or a changelog. */
  @Milliseconds() indexReadMs = 10_000;
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
  /** Address at which clients reach the api, for absolute links, without a slash at its end once loaded; when absent, each request's own host is named. */
  @IsOptional() @PublicUrl() publicUrl?: string;
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
