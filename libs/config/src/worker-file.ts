import { OFFERED_MAX, WORKER_NAME } from '@proctor/contracts';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { Path } from './address-rules';
import { AtStart } from './at-start';
import { MetricsSection } from './metrics-section';
import {
  ArchitectureList,
  Count,
  EnvironmentVariables,
  Expressions,
  HOST,
  ListsByName,
  Milliseconds,
  NameList,
  NamesMax,
  NetworkList,
  PackageTimeouts,
  Section,
} from './rules';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const HOUR_MS = 3_600_000;

/**
 * Where clouds give their machines credentials, and other services of clouds: link-local addresses, and those that Amazon,
 * Google, Oracle, Alibaba and Microsoft have in addition.
 */
export const METADATA_NETWORKS = [
  '169.254.0.0/16',
  'fd00:ec2::/32',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  '100.100.100.200',
  '168.63.129.16',
];

/** config/worker.yaml */
export class WorkerFile {
  @AtStart() @IsOptional() @Matches(WORKER_NAME) name?: string;
  @AtStart() @IsInt() @Min(1) @Max(1000) slots = 2;
  /** Networks that are prepared before a sandbox needs one, 3 MiB each; at most one for each slot. */
  @AtStart() @IsInt() @Min(0) @Max(1000) networksReady = 2;
  @AtStart() @ArchitectureList() architectures: string[] = [HOST];
  @AtStart() @IsArray() @IsString({ each: true }) suitesAtStart: string[] = [HOST];
  @AtStart() @NameList() @ArrayMaxSize(OFFERED_MAX) backends: string[] = ['unshare'];
  @AtStart() @ListsByName() backendCommands: Record<string, string[]> = {};
  @AtStart()
  @IsArray()
  @IsString({ each: true })
  @MaxLength(100, { each: true })
  @ArrayMaxSize(OFFERED_MAX)
  sizeClasses: string[] = [];
  @AtStart() @ListsByName() @NamesMax(OFFERED_MAX) variants: Record<string, string[]> = {
    autopkgtest: ['autopkgtest'],
  };
  @AtStart() @Path() workPath = 'worker';
  @Count() runTmpfsBytes = 8 * GIB;
  @IsOptional() @Count() runMemoryBytesMax?: number;
  @Count() runProcessesMax = 8192;
  @Count() runOutputBytesMax = 2 * GIB;
  @Milliseconds() runTimeoutMs = 8 * HOUR_MS;
  @PackageTimeouts() timeouts: Record<string, number> = {};
  @EnvironmentVariables() environment: Record<string, string> = {};
  @Count() freeDiskBytesMin = 2 * GIB;
  @Count() freeInodesMin = 10_000;
  @Count() freeMemoryBytesMin = GIB;
  @Count() resultsWaitingMax = 100;
  @Milliseconds() answerWaitMs = 30_000;
  @Milliseconds() lowerEpochWaitMs = 15_000;
  @Milliseconds() imageAgeMaxMs = 24 * HOUR_MS;
  @Count() logHeadBytesMax = 20 * MIB;
  @IsInt() @Min(0) @Max(Number.MAX_SAFE_INTEGER) logTailBytesMax = 5 * MIB;
  @Expressions() errorPatterns: string[] = [];
  @Count() artifactsBytesMax = 100 * MIB;
  @AtStart() @IsBoolean() machineMayBeDestroyed = false;
  @AtStart() @IsArray() @Matches(/^\/\P{Cc}*$/u, { each: true }) visiblePaths: string[] = [];
  @AtStart() @NetworkList() unreachableNetworks: string[] = METADATA_NETWORKS;
  @AtStart() @Section(() => MetricsSection) metrics = new MetricsSection();
  @IsBoolean() reportSourceNames = true;
  @AtStart() @ListsByName() suiteSources: Record<string, string[]> = {};
}
