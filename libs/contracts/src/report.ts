import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsOptional,
  Matches,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { ErrorExcerpt } from './error-excerpt';
import { Grant } from './grant';
import { HasKnownWords, IsKnownWord } from './known-words';
import { HeldAttempt } from './held-attempt';
import { TestbedImage } from './testbed-image';
import { TEST_STATUSES, TestResult, TESTS_MAX } from './test-result';
import { IsText, MESSAGE_LENGTH_MAX, VERSION_LENGTH_MAX } from './text';
import { IsWholeFrom } from './whole-number';
import { RESULT_FILES, TROUBLES, VERDICTS } from './words';
import type { ResultFileName, Trouble, Verdict } from './words';

/**
 * `proctor.report.{arch}.{worker}.started.{runId}.{attempt}.{grantEpoch}`: the test runner was started. Both reports of an attempt
 * travel through JetStream and may arrive twice and in either order.
 */
export class StartedReport extends HeldAttempt {}

/** The largest file of a result, in bytes: 1 TiB, far more than a staging area holds. */
const RESULT_FILE_BYTES_MAX = 2 ** 40;

/** The longest attempt, in seconds: a leap year. */
const DURATION_SECONDS_MAX = 366 * 24 * 60 * 60;

/** A file of the result, staged in its worker's staging area as `{runId}/{attempt}/{grantEpoch}/{name}`. */
export class ResultFile {
  @IsIn(RESULT_FILES)
  name: ResultFileName;

  /** Bytes. */
  @IsWholeFrom(0, RESULT_FILE_BYTES_MAX)
  size: number;

  /** Lower-case hex. */
  @Matches(/^[0-9a-f]{64}$/)
  sha256: string;
}

/** `proctor.report.{arch}.{worker}.finished.{runId}.{attempt}.{grantEpoch}`: how the attempt ended. */
export class FinishedReport extends HeldAttempt {
  @IsIn(VERDICTS)
  verdict: Verdict;

  /** One sentence for people; never empty. */
  @IsText(MESSAGE_LENGTH_MAX)
  message: string;

  /** The probable cause, only with tmpfail; absent when it is unknown. */
  @IsKnownWord(TROUBLES)
  trouble?: Trouble;

  /** autopkgtest's, null when it was ended by a signal or never started. */
  @ValidateIf((report: FinishedReport) => report.exitCode !== null)
  @IsWholeFrom(0, 255)
  exitCode: number | null;

  /** Version of the tested package; null when the source was never unpacked. */
  @ValidateIf((report: FinishedReport) => report.version !== null)
  @IsText(VERSION_LENGTH_MAX)
  version: string | null;

  /** Wall-clock seconds of the attempt, whole. A dispatcher limits it to what is possible, see believedSeconds. */
  @IsWholeFrom(0, DURATION_SECONDS_MAX)
  durationSeconds: number;

  @IsArray()
  @ArrayMaxSize(RESULT_FILES.length)
  @HasKnownWords('name', RESULT_FILES)
  @ValidateNested({ each: true })
  @Type(() => ResultFile)
  files: ResultFile[];

  /** The single tests in the order of the runner's summary; absent if unknown. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(TESTS_MAX)
  @HasKnownWords('status', TEST_STATUSES)
  @ValidateNested({ each: true })
  @Type(() => TestResult)
  tests?: TestResult[];

  /** The lines of the log around its first error; absent when it has none, or none is known. */
  @IsOptional()
  @ValidateNested()
  @Type(() => ErrorExcerpt)
  excerpt?: ErrorExcerpt;

  /** The image of the testbed; absent when the backend has none, or it is not known. */
  @IsOptional()
  @ValidateNested()
  @Type(() => TestbedImage)
  image?: TestbedImage | undefined;
}

/**
 * `proctor.worker.{worker}.recorded`: the dispatcher's answer to a finished report. Only then may the worker delete its
 * own copy. `stale`: a newer attempt was granted, or the run has finished; nothing was written. `upload-again`: a
 * staged file is missing or damaged. `refused`: the report cannot be read, so its attempt has failed. It names
 * the grant of the report.
 */
export class RecordedSignal extends Grant {
  @IsIn(['recorded', 'stale', 'upload-again', 'refused'])
  answer: 'recorded' | 'stale' | 'upload-again' | 'refused';

  @IsOptional()
  @IsText(MESSAGE_LENGTH_MAX)
  reason?: string;
}

/** Why a report was refused: it cannot be read, or its handler failed again and again. */
export interface RefusedReport {
  reason: string;
}
