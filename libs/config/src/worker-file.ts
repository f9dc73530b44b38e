import { WORKER_NAME } from '@proctor/contracts';
import {
  IsArray,
  IsBoolean,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import { ArchitectureList, Count, HOST, Milliseconds, NameList } from './rules';

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
  return (target, key) => [IsObject(), lists].forEach((rule) => rule(target, key));
}

/** config/worker.yaml */
export class WorkerFile {
  @IsOptional() @Matches(WORKER_NAME) name?: string;
  @IsInt() @Min(1) @Max(1000) slots = 2;
  @ArchitectureList() architectures: string[] = [HOST];
  @IsArray() @IsString({ each: true }) suitesAtStart: string[] = [HOST];
  @NameList() backends: string[] = ['unshare'];
  @ListsByName() variants: Record<string, string[]> = { autopkgtest: ['autopkgtest'] };
  @IsString() workPath = 'worker';
  @Count() runTmpfsBytes = 8 * GIB;
  @Milliseconds() runTimeoutMs = 8 * HOUR_MS;
  @Milliseconds() imageAgeMaxMs = 24 * HOUR_MS;
  @Count() logBytesMax = 20 * 1024 * 1024;
  @Count() artifactsBytesMax = 100 * 1024 * 1024;
  @IsBoolean() machineMayBeDestroyed = false;
  @ListsByName() suiteSources: Record<string, string[]> = {};
}
