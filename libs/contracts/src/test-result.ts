import { IsIn, Matches, ValidateIf } from 'class-validator';
import { IsText } from './text';

/** The words of a test runner's summary. */
export const TEST_STATUSES = ['PASS', 'FAIL', 'SKIP', 'FLAKY'] as const;
export type TestStatus = (typeof TEST_STATUSES)[number];

/** The most tests in a report, the first of the summary: with the lengths below it fits into one message. */
export const TESTS_MAX = 500;
/** In UTF-16 units. */
export const TEST_NAME_LENGTH_MAX = 200;
/** In UTF-16 units. */
export const TEST_DETAIL_LENGTH_MAX = 300;

/** How one test of a package ended. */
export class TestResult {
  /** The name of the test, without blanks; `*` means the whole package. */
  @IsText(TEST_NAME_LENGTH_MAX)
  @Matches(/^\S+$/)
  name: string;

  /** `FLAKY` has failed, which does not count. */
  @IsIn(TEST_STATUSES)
  status: TestStatus;

  /** The addition of the runner, such as `non-zero exit status 1`; null if there is none. */
  @ValidateIf((result: TestResult) => result.detail !== null)
  @IsText(TEST_DETAIL_LENGTH_MAX)
  detail: string | null;
}
