import {
  oneLine,
  TEST_DETAIL_LENGTH_MAX,
  TEST_NAME_LENGTH_MAX,
  TESTS_MAX,
  type TestResult,
  type TestStatus,
} from '@proctor/contracts';

/** The content of a runner's `summary`. */
export interface Summary {
  /** The first result of each test, in order; at most TESTS_MAX. */
  tests: TestResult[];
  /** Its message about the runner's own trouble, as one line; null without one. */
  trouble: string | null;
}

/**
 * A line `NAME STATUS DETAIL`, the name padded with blanks; `*` is the whole package. Some versions write BROKEN when
 * the test's own description is not usable.
 */
const RESULT = /^(\S+) +(PASS|FAIL|SKIP|FLAKY|BROKEN)(?: +([^ ].*)?)?$/;

/** A name has no blanks, and oneLine would turn each of these into one. */
const CONTROL = /\p{Cc}/gu;

/** The detail of a test that could not be installed; the reason is in a line of its own after it. */
const BAD_PACKAGE = 'badpkg';
const BAD_PACKAGE_REASON = /^badpkg: (.+)$/;

/** All lines without a test's result are messages of the runner; there may be several, each on several lines. */
export function parseSummary(text: string): Summary {
  const tests: TestResult[] = [];
  const words: string[] = [];
  const seenLines = new Set<string>();
  for (const line of text.split('\n').map((line) => line.trim())) {
    const test = testResult(line);
    if (!test) {
      explainLast(tests, line);
      words.push(line);
    } else if (!seenLines.has(line)) {
      // A test that is skipped for a restriction is listed twice.
      seenLines.add(line);
      tests.push(test);
    }
  }
  const trouble = words.filter((line) => line !== '').join(' ') || wholePackageIsBad(tests);
  return { tests: tests.slice(0, TESTS_MAX), trouble };
}

function testResult(line: string): TestResult | null {
  const [, name, word, detail = ''] = RESULT.exec(line) ?? [];
  if (name === undefined || word === undefined) return null;
  const isBroken = word === 'BROKEN';
  return {
    name: oneLine(name.replace(CONTROL, '\ufffd'), TEST_NAME_LENGTH_MAX),
    status: isBroken ? 'FAIL' : (word as TestStatus),
    detail: oneLine(isBroken ? `broken: ${detail}` : detail, TEST_DETAIL_LENGTH_MAX) || null,
  };
}

function explainLast(tests: TestResult[], line: string): void {
  const last = tests.at(-1);
  const reason = BAD_PACKAGE_REASON.exec(line)?.[1];
  if (last?.detail !== BAD_PACKAGE || reason === undefined) return;
  last.detail = oneLine(`${BAD_PACKAGE}: ${reason}`, TEST_DETAIL_LENGTH_MAX);
}

/** `* FAIL badpkg` has more in the lines that follow; alone, its own detail is all there is. */
function wholePackageIsBad(tests: TestResult[]): string | null {
  return tests.find(({ name, status }) => name === '*' && status === 'FAIL')?.detail ?? null;
}
