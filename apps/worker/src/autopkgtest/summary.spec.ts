import fc from 'fast-check';
import { parseMessage, TestResult, TESTS_MAX, type TestStatus } from '@proctor/contracts';
import { codePoint } from '@test/support/code-point';
import { parseSummary } from './summary';

const result = (name: string, status: TestStatus, detail: string | null = null): TestResult => ({
  name,
  status,
  detail,
});

const UNSATISFIABLE =
  'Test dependencies are unsatisfiable. A common reason is that your testbed is out of date.';

/** One line, as the test's name filled up and what follows, and what is said of that test. */
const LINES: [what: string, name: string, words: string, status: TestStatus, detail: string | null][] = [
  ['a pass', 'command1', 'PASS', 'PASS', null],
  ['a superficial pass', 'smoke', 'PASS (superficial)', 'PASS', '(superficial)'],
  ['an exit code', 'upstream', 'FAIL non-zero exit status 3', 'FAIL', 'non-zero exit status 3'],
  ['output on stderr', 'a', 'FAIL stderr: a: b FAIL c', 'FAIL', 'stderr: a: b FAIL c'],
  ['nothing after stderr', 'a', 'FAIL stderr: ', 'FAIL', 'stderr:'],
  ['a timeout', 'slow', 'FAIL timed out', 'FAIL', 'timed out'],
  ['a flaky test', 'f', 'FLAKY non-zero exit status 1', 'FLAKY', 'non-zero exit status 1'],
  ['a skip', 'vm', 'SKIP Test needs isolation-machine', 'SKIP', 'Test needs isolation-machine'],
  ['no tests', '*', 'SKIP no tests in this package', 'SKIP', 'no tests in this package'],
  ['a broken description', 'odd', 'BROKEN no such field', 'FAIL', 'broken: no such field'],
  ['a long name', 'a-name-of-more-than-20-letters', 'PASS', 'PASS', null],
  ['characters that disturb', 'a', 'FAIL stderr: \x1b[31mred\0', 'FAIL', 'stderr: [31mred'],
];

it.each(LINES)('a line of the summary with %s is read', (_, name, words, status, detail) => {
  expect(parseSummary(`${name.padEnd(20)} ${words}\n`).tests).toEqual([result(name, status, detail)]);
});

it.each<[string, string, TestResult[]]>([
  ['nothing', '', []],
  ['no newline at the end', 'a PASS\nb PASS', [result('a', 'PASS'), result('b', 'PASS')]],
  ['carriage returns', 'a  PASS\r\nb  SKIP c\r\n', [result('a', 'PASS'), result('b', 'SKIP', 'c')]],
  [
    'a line that is said twice',
    'a SKIP b\nc PASS\na SKIP b\n',
    [result('a', 'SKIP', 'b'), result('c', 'PASS')],
  ],
  ['a name that is said twice', 'a SKIP b\na FAIL c\n', [result('a', 'SKIP', 'b'), result('a', 'FAIL', 'c')]],
  [
    'a package that cannot be installed',
    `one                  PASS\ntwo                  FAIL badpkg\nblame: hello\nbadpkg: ${UNSATISFIABLE}\nthree                FAIL timed out\n`,
    [
      result('one', 'PASS'),
      result('two', 'FAIL', `badpkg: ${UNSATISFIABLE}`),
      result('three', 'FAIL', 'timed out'),
    ],
  ],
  ['a word that is no status', 'PASS\nthe test PASS\na PASSED\n', []],
])('the tests of a summary with %s are read', (_, text, tests) => {
  expect(parseSummary(text).tests).toEqual(tests);
});

it.each<[string, string | null]>([
  ['', null],
  ['command1             PASS\nupstream             FAIL stderr: x\n', null],
  ['*                    SKIP no tests in this package\n', null],
  [
    '*                    FAIL badpkg\nblame: hello\nbadpkg: there is none\n',
    'blame: hello badpkg: there is none',
  ],
  ['blame: hello\nbadpkg: no\nerroneous package: no\n', 'blame: hello badpkg: no erroneous package: no'],
  ['*                    FAIL badpkg\n', 'badpkg'],
  ['a                    FAIL badpkg\n', null],
  ['a                    PASS\ntestbed failure: cannot be unpacked\n', 'testbed failure: cannot be unpacked'],
  ['a raw message\n\n  of two lines', 'a raw message of two lines'],
])('the trouble of a testbed is found in the summary %j', (text, trouble) => {
  expect(parseSummary(text).trouble).toBe(trouble);
});

it('the summary keeps the first of very many tests, and the beginning of very long words', () => {
  const many = Array.from({ length: TESTS_MAX + 5 }, (_, number) => `t${number} PASS`).join('\n');
  expect(parseSummary(many).tests).toHaveLength(TESTS_MAX);
  const [test] = parseSummary(`${'n'.repeat(500)} FAIL ${'x'.repeat(298)}😀😀`).tests;
  expect(test).toEqual(result(`${'n'.repeat(199)}…`, 'FAIL', `${'x'.repeat(298)}\ufffd…`));
});

it.each([
  ['a\x01b', 'a\ufffdb'],
  ['\x1b[1munit\x1b[0m', '\ufffd[1munit\ufffd[0m'],
  ['\x01', '\ufffd'],
  [`${'x'.repeat(198)}\ud83d\ude00\ud83d\ude00`, `${'x'.repeat(198)}\ufffd\u2026`],
])('a test in the summary gets a name that a report may have: %j', (word, name) => {
  expect(parseSummary(`${word} PASS\n`).tests.map((test) => test.name)).toEqual([name]);
});

it('every test in the summary is one that a report may have, whatever a runner wrote', () => {
  const words = fc.string({ unit: codePoint, minLength: 1, maxLength: 250 });
  const line = fc.tuple(words, fc.constantFrom('PASS', 'FAIL', 'SKIP', 'BROKEN'), words);
  const text = fc.array(line.map((parts) => parts.join(' '))).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, (summary) => {
      for (const test of parseSummary(summary).tests) parseMessage(TestResult, test);
    }),
  );
});
