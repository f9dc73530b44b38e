import { IsIn, Matches, ValidateIf } from 'class-validator';
import { IsText } from './text';

/** As a test runner's summary says it. */
export const TEST_STATUSES = ['PASS', 'FAIL', 'SKIP', 'FLAKY'] as const;
export type TestStatus = (typeof TEST_STATUSES)[number];

/** Tests that a report tells of: the first of the summary. With the lengths below it fits into one message. */
export const TESTS_MAX = 500;
/** In UTF-16 units. */
export const TEST_NAME_LENGTH_MAX = 200;
/** In UTF-16 units. */
export const TEST_DETAIL_LENGTH_MAX = 300;

/** How one test of a package ended. */
export class TestResult {
  /** Without blanks; `*` stands for the whole package. */
  @IsText(TEST_NAME_LENGTH_MAX)
  @Matches(/^\S+$/)
  name: string;

  /** `FLAKY` has failed, and that counts for nothing. */
  @IsIn(TEST_STATUSES)
  status: TestStatus;

  /** What the runner adds, as `non-zero exit status 1`; null when that is nothing. */
  @ValidateIf((result: TestResult) => result.detail !== null)
  @IsText(TEST_DETAIL_LENGTH_MAX)
  detail: string | null;
}
