import { WORKER_NAME } from '@proctor/contracts';
import {
  IsArray,
  IsBoolean,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import { AtStart } from './at-start';
import {
  ArchitectureList,
  Count,
  EnvironmentVariables,
  HOST,
  Milliseconds,
  NameList,
  PackageTimeouts,
  Section,
  together,
} from './rules';

const GIB = 1024 ** 3;
const HOUR_MS = 3_600_000;

/** A mapping from a name to a list of strings that is not empty. */
function ListsByName(): PropertyDecorator {
  const lists = ValidateBy({
    name: 'listsByName',
    validator: {
      validate: (value: unknown) =>
        typeof value === 'object' &&
        value !== null &&
        Object.values(value).every(
          (list) => Array.isArray(list) && list.length > 0 && list.every((x) => typeof x === 'string'),
        ),
      defaultMessage: () => 'each name has a list of strings that is not empty',
    },
  });
  return together([IsObject(), lists]);
}

export class MetricsSection {
  @AtStart() @IsString() @IsNotEmpty() host = '127.0.0.1';
  @AtStart() @IsInt() @Min(0) @Max(65535) port = 0;
}

/** config/worker.yaml */
export class WorkerFile {
  @AtStart() @IsOptional() @Matches(WORKER_NAME) name?: string;
  @AtStart() @IsInt() @Min(1) @Max(1000) slots = 2;
  @AtStart() @ArchitectureList() architectures: string[] = [HOST];
  @AtStart() @IsArray() @IsString({ each: true }) suitesAtStart: string[] = [HOST];
  @AtStart() @NameList() backends: string[] = ['unshare'];
  @AtStart() @ListsByName() backendCommands: Record<string, string[]> = {};
  @AtStart() @IsArray() @IsString({ each: true }) sizeClasses: string[] = [];
  @AtStart() @ListsByName() variants: Record<string, string[]> = { autopkgtest: ['autopkgtest'] };
  @AtStart() @IsString() @IsNotEmpty() workPath = 'worker';
  @Count() runTmpfsBytes = 8 * GIB;
  @IsOptional() @Count() runMemoryBytesMax?: number;
  @Count() runProcessesMax = 8192;
  @Count() runOutputBytesMax = 2 * GIB;
  @Milliseconds() runTimeoutMs = 8 * HOUR_MS;
  @PackageTimeouts() timeouts: Record<string, number> = {};
  @EnvironmentVariables() environment: Record<string, string> = {};
  @Count() freeDiskBytesMin = 2 * GIB;
  @Count() freeMemoryBytesMin = GIB;
  @Milliseconds() imageAgeMaxMs = 24 * HOUR_MS;
  @Count() logBytesMax = 20 * 1024 * 1024;
  @Count() artifactsBytesMax = 100 * 1024 * 1024;
  @AtStart() @IsBoolean() machineMayBeDestroyed = false;
  @Section(() => MetricsSection) metrics = new MetricsSection();
  @AtStart() @ListsByName() suiteSources: Record<string, string[]> = {};
}
