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
import { NetworkList, Path } from './address-rules';
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
  PackageTimeouts,
  Section,
} from './rules';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const HOUR_MS = 3_600_000;

/**
 * Networks in which clouds give their machines credentials and other services: link-local addresses, and the addresses
 * that Amazon, Google, Oracle, Alibaba and Microsoft use in addition.
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
  /** `detected` stands for the machine's own architecture and all others that it can execute. */
  @AtStart() @ArchitectureList() architectures: string[] = [HOST];
  /** Suites whose images are built at start; others when a run needs them. */
  @AtStart() @IsArray() @IsString({ each: true }) suitesAtStart: string[] = [HOST];
  @AtStart() @NameList() @ArrayMaxSize(OFFERED_MAX) backends: string[] = ['unshare'];
  /** Backend name → one of autopkgtest's virtualisation servers and its arguments, with placeholders. */
  @AtStart() @ListsByName() backendCommands: Record<string, string[]> = {};
  /** Classes of big packages for which each slot has room. */
  @AtStart()
  @IsArray()
  @IsString({ each: true })
  @MaxLength(100, { each: true })
  @ArrayMaxSize(OFFERED_MAX)
  sizeClasses: string[] = [];
  /** Whether the worker executes private runs alone, for which it must be registered with `--private`. */
  @AtStart() @IsBoolean() privateRunsOnly = false;
  /** variant name → command and its first arguments. */
  @AtStart() @ListsByName() @NamesMax(OFFERED_MAX) variants: Record<string, string[]> = {
    autopkgtest: ['autopkgtest'],
  };
  /** Folder of images and of the work area. */
  @AtStart() @Path() workPath = 'worker';
  /** Size of one run's tmpfs. */
  @Count() runTmpfsBytes = 8 * GIB;
  /** Memory of one run; no limit when absent. */
  @IsOptional() @Count() runMemoryBytesMax?: number;
  /** Processes and threads of one run. */
  @Count() runProcessesMax = 8192;
  /** Bytes that one run's test runner may write to the disk: its log, the output of tests, artifacts. */
  @Count() runOutputBytesMax = 2 * GIB;
  /** Wall-clock limit of one attempt. */
  @Milliseconds() runTimeoutMs = 8 * HOUR_MS;
  /**
   * Package name (`*` at the end stands for anything) → wall-clock limit of its attempts, instead of `runTimeoutMs`.
   */
  @PackageTimeouts() timeouts: Record<string, number> = {};
  /** Environment variables of every test. */
  @EnvironmentVariables() environment: Record<string, string> = {};
  /** The worker accepts no work when less is free on the disk of `workPath` or in memory. */
  @Count() freeDiskBytesMin = 2 * GIB;
  @Count() freeInodesMin = 10_000;
  @Count() freeMemoryBytesMin = GIB;
  /** The worker accepts no work while this many of its results have no answer from a dispatcher. */
  @Count() resultsWaitingMax = 100;
  /** How long a slot waits for the answer to its result before it asks other architectures for work. */
  @Milliseconds() answerWaitMs = 30_000;
  /** How long answers of a lower epoch are ignored before they are accepted. */
  @Milliseconds() lowerEpochWaitMs = 15_000;
  @Milliseconds() imageAgeMaxMs = 24 * HOUR_MS;
  /**
   * Bytes of the beginning of a log that are streamed. If a log exceeds both limits, only this beginning and this end
   * are saved.
   */
  @Count() logHeadBytesMax = 20 * MIB;
  @IsInt() @Min(0) @Max(Number.MAX_SAFE_INTEGER) logTailBytesMax = 5 * MIB;
  /** Regular expressions of lines that are errors, in addition to the built-in ones. */
  @Expressions() errorPatterns: string[] = [];
  @Count() artifactsBytesMax = 100 * MIB;
  /** Bytes of the beginning of a tested source's debian/changelog that artifacts of public runs have; 0: none. */
  @IsInt() @Min(0) @Max(MIB) changelogBytesMax = 64 * 1024;
  /**
   * Offers the `null` backend, which runs tests on the machine itself without any isolation of its files: only for a
   * machine that may be thrown away afterwards.
   */
  @AtStart() @IsBoolean() machineMayBeDestroyed = false;
  /**
   * Absolute paths that tests may see in addition to the system's own, such as a tool, a mirror or the socket of a
   * daemon.
   */
  @AtStart() @IsArray() @Matches(/^\/\P{Cc}*$/u, { each: true }) visiblePaths: string[] = [];
  /** Networks and addresses that no test can reach when the worker sets up its network: `169.254.0.0/16`, `fd20:ce::254`. */
  @AtStart() @NetworkList() unreachableNetworks: string[] = METADATA_NETWORKS;
  /** The address on which the worker serves health and metrics for monitors; with port 0 it serves none. */
  @AtStart() @Section(() => MetricsSection) metrics = new MetricsSection();
  /** Whether the worker reports which packages the suites of its images have, so that users see them. */
  @IsBoolean() reportSourceNames = true;
  /** apt lines of a suite's image instead of those derived from the host's own sources. */
  @AtStart() @ListsByName() suiteSources: Record<string, string[]> = {};
}
