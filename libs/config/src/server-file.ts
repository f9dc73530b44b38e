import { NEUTRAL_STATUSES, type NeutralStatus } from '@proctor/contracts';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { AtStart } from './at-start';
import {
  ArchitectureList,
  Count,
  HOST,
  Milliseconds,
  NameList,
  ProxyList,
  Section,
  SizeClasses,
  Weights,
} from './rules';

/** What S3 allows of every part but the last. */
const PART_BYTES_MIN = 5 * 1024 * 1024;
/** Parts are held in memory. */
const PART_BYTES_MAX = 256 * 1024 * 1024;

/** A value travels to the test runner in one argument of a program, of 128 KiB with its name and what else it needs. */
const ARGUMENT_BYTES_MAX = 98_304;

export class ApiSection {
  @AtStart() @IsString() @IsNotEmpty() host = '127.0.0.1';
  @AtStart() @IsInt() @Min(0) @Max(65535) port = 8080;
  @IsIn(NEUTRAL_STATUSES) neutral: NeutralStatus = 'pass';
  @Count() bodyBytesMax = 32 * 1024 * 1024;
  @Count() itemsPerRequestMax = 20_000;
  @IsInt() @Min(1) @Max(ARGUMENT_BYTES_MAX) triggerBytesMax = 65_536;
  @IsInt() @Min(1) @Max(ARGUMENT_BYTES_MAX) pinPackagesBytesMax = 32_768;
  @IsInt() @Min(0) @Max(1_000) extraAptSourcesMax = 20;
  @Count() historyLengthMax = 500;
  @Count() requestsPerSecondMax = 1_000;
  @Count() requestsPerMinuteMax = 60_000;
  @Count() anonymousRequestsPerSecondMax = 500;
  @Count() anonymousRequestsPerMinuteMax = 30_000;
  @Count() anonymousRequestsAtOnceMax = 8;
  @Count() anonymousRequestsWaitingMax = 1_000;
  @Milliseconds() anonymousWaitMs = 5_000;
  @IsInt() @Min(0) @Max(3_600_000) publicAgeMaxMs = 10_000;
  @Count() bodiesBytesMax = 128 * 1024 * 1024;
  @Milliseconds() bodyWaitMs = 5_000;
  @Milliseconds() refusedBodyMs = 5_000;
  @IsInt() @Min(0) @Max(60) waitSecondsMax = 60;
  @Count() passwordGuessesPerHourMax = 20;
  @AtStart() @Milliseconds() headersTimeoutMs = 20_000;
  @AtStart() @Milliseconds() requestTimeoutMs = 300_000;
  @AtStart() @Milliseconds() socketIdleMs = 120_000;
  @AtStart() @ProxyList() trustedProxies: string[] = [];
  @IsOptional()
  @IsUrl({ protocols: ['http', 'https'], require_protocol: true, require_tld: false, disallow_auth: true })
  publicUrl?: string;
}

export class RetrySection {
  @Count() attemptsMax = 3;
  @Milliseconds() delayMs = 30_000;
  @Milliseconds() delayMaxMs = 600_000;
}

export class FairShareSection {
  @Milliseconds() halfLifeMs = 3_600_000;
  @Weights() weights: Record<string, number> = {};
}

export class AgeingSection {
  @Milliseconds() stepMs = 21_600_000;
  @IsInt() @Min(0) @Max(9) stepsMax = 2;
}

export class CapsSection {
  @IsOptional() @Count() perRequestorMax?: number;
  @IsOptional() @Count() perPackageMax?: number;
  @IsOptional() @Count() perSuiteMax?: number;
}

export class BlameSection {
  @Count() failuresMax = 3;
  @Count() occasionsMax = 3;
  @Milliseconds() slowedMs = 5_000;
  @Milliseconds() slowedMaxMs = 60_000;
  @Milliseconds() canaryMs = 60_000;
  @Milliseconds() quarantineMs = 600_000;
  @Milliseconds() quarantineMaxMs = 3_600_000;
  @Milliseconds() canaryTimeoutMs = 600_000;
}

export class SchedulerSection {
  @AtStart() @Milliseconds() leaseTtlMs = 60_000;
  @AtStart() @Milliseconds() leaseRenewMs = 15_000;
  @AtStart() @Milliseconds() ownershipTtlMs = 5_000;
  @Milliseconds() turnTimeoutMs = 2_000;
  @Milliseconds() arrivalPollMs = 5_000;
  @Milliseconds() askAgainMs = 5_000;
  @Section(() => RetrySection) retry = new RetrySection();
  @Section(() => FairShareSection) fairShare = new FairShareSection();
  @Section(() => AgeingSection) ageing = new AgeingSection();
  @Section(() => CapsSection) caps = new CapsSection();
  @SizeClasses() sizeClasses: Record<string, string[]> = {};
  @Section(() => BlameSection) blame = new BlameSection();
  @Count() mailboxLengthMax = 10_000;
  @Count() turnMessagesMax = 500;
  @Milliseconds() stagingSweepMs = 600_000;
  @Milliseconds() stagingIdleMaxMs = 3_600_000;
}

export class StoreSection {
  @AtStart() @IsIn(['folder', 's3']) kind: 'folder' | 's3' = 'folder';
  @AtStart() @IsString() @IsNotEmpty() path = 'store';
  @AtStart()
  @IsOptional()
  @IsUrl({ protocols: ['http', 'https'], require_protocol: true, require_tld: false, disallow_auth: true })
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
  @AtStart() @IsInt() @Min(PART_BYTES_MIN) @Max(PART_BYTES_MAX) partBytes = PART_BYTES_MIN;
}

/** config/proctor.yaml */
export class ServerFile {
  @NameList() suites: string[] = [HOST];
  @ArchitectureList() architectures: string[] = [HOST];
  @NameList() backends: string[] = ['unshare'];
  @IsOptional() @IsString() @MaxLength(100) defaultBackend?: string;
  @NameList() variants: string[] = ['autopkgtest'];
  @Section(() => StoreSection) store = new StoreSection();
  @Section(() => ApiSection) api = new ApiSection();
  @Section(() => SchedulerSection) scheduler = new SchedulerSection();
}
