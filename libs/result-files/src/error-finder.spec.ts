import { LogIndexer } from './log-indexer';
import { ERROR_PATTERNS, errorExpression } from './error-patterns';

const ERRORS = errorExpression(ERROR_PATTERNS);
const own = (text: string): string => `autopkgtest [12:34:56]: ${text}\n`;

/** The line that is found in the log of one test with this output and result. */
function foundIn(output: string, result = 'FAIL non-zero exit status 1', stderr = ''): string | undefined {
  const indexer = new LogIndexer(ERRORS);
  const log =
    own('@@@@@@@@@@@@@@@@@@@@ test bed setup') +
    'E: Unable to locate package of-another-part\n' +
    own('test x: preparing testbed') +
    own('test x: [-----------------------') +
    output +
    own('test x: -----------------------]') +
    own('test x:  - - - - - - - - - - results - - - - - - - - - -') +
    `x ${result}\n` +
    (stderr && own('test x:  - - - - - - - - - - stderr - - - - - - - - - -') + stderr) +
    own('@@@@@@@@@@@@@@@@@@@@ summary') +
    `x ${result}\n`;
  indexer.add(Buffer.from(log));
  indexer.end();
  const { errorLine, firstLine, lines } = indexer.excerpt()!;
  expect(log.split('\n')[errorLine - 1]).toBe(lines[errorLine - firstLine]);
  return lines[errorLine - firstLine];
}

const TRACEBACK =
  'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    raise ValueError("Error: x")\n';

it.each([
  ['the exception of a traceback', `${TRACEBACK}pkg.Oops: no\nmake: *** [all] Error 1\n`, 'pkg.Oops: no'],
  [
    'the first of exceptions that follow from each other',
    `${TRACEBACK}KeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n\n${TRACEBACK}OSError: 2\n`,
    'KeyError: 1',
  ],
  [
    'an exception of a traceback that is indented',
    TRACEBACK.replace(/^/gm, '  | ').replace(/ {2}\| $/, '') + '  | Oops\n',
    '  | Oops',
  ],
  [
    'a service that does not exist, and not a program that is missing to look into its trouble',
    'pdns-recursor: unrecognized service\nE: service restart failed\n./smoke: line 7: journalctl: command not found\n',
    'pdns-recursor: unrecognized service',
  ],
  [
    'a unit that does not exist',
    "Failed to restart a.service: Unit a.service not found.\ntail: cannot open '/var/log/a.log' for reading: No such file or directory\n",
    'Failed to restart a.service: Unit a.service not found.',
  ],
  [
    'an error and not the log of a service that a test shows after it',
    'E: a does not answer\ncat: /var/log/a/error.log: No such file or directory\ndmesg: read kernel buffer failed: Operation not permitted\n',
    'E: a does not answer',
  ],
  [
    'a test that needs systemd and not what it does afterwards',
    "System has not been booted with systemd as init system (PID 1). Can't operate.\nsh: 1: journalctl: not found\n",
    "System has not been booted with systemd as init system (PID 1). Can't operate.",
  ],
  [
    'a program that is missing when nothing else is wrong',
    'sh: 1: journalctl: not found\n',
    'sh: 1: journalctl: not found',
  ],
  ['a failed check and not what sums it up', 'ok 1\nnot ok 2 - b\nResult: FAIL\n', 'not ok 2 - b'],
  ['a cause and not a failed check before it', 'FAIL: a\na.c:3:1: error: no\n', 'a.c:3:1: error: no'],
  [
    'what goes before a failed check',
    './t: 3: ./a: not found\nTest 1... **fail**\n',
    './t: 3: ./a: not found',
  ],
  [
    'nothing that a passing check expects',
    'a: No such file or directory\nok 1 - no file\nnot ok 2\n',
    'not ok 2',
  ],
  [
    'what a failed check of Go says before',
    '=== RUN T\n    a_test.go:3: no\n--- FAIL: T\nFAIL\n',
    '    a_test.go:3: no',
  ],
  [
    'what a failed check of Go says behind',
    '--- FAIL: T\n    a_test.go:3: no\nFAIL\n',
    '    a_test.go:3: no',
  ],
  [
    'a failed check of TAP and not what its details repeat',
    'not ok 1 - a\n  ---\n    stack: |-\n      Error: a\n  ...\nok 2\nError: later\n',
    'Error: later',
  ],
  [
    'a failed check of TAP with details',
    'not ok 1 - a\n  ---\n    stack: |-\n      Error: a\n  ...\n',
    'not ok 1 - a',
  ],
  [
    "a compiler's words behind a target that ninja could not make",
    'FAILED: a.o\ncc -c a.c\na.c:3:1: error: no\n',
    'a.c:3:1: error: no',
  ],
  [
    'the test that failed and not the target that ran it',
    '1/2 a FAIL 0.1s\nFAILED: meson-test\n',
    '1/2 a FAIL 0.1s',
  ],
  [
    'what a compiler says through Maven',
    '[ERROR] COMPILATION ERROR :\n[ERROR] /a/A.java:[3,4] no\n[ERROR] Failed to execute goal x\n[ERROR] \n',
    '[ERROR] /a/A.java:[3,4] no',
  ],
  ['the line before a stack', 'no such thing\n    while executing\n"f x"\n', 'no such thing'],
  [
    'the line before a consequence',
    'the list is out of date\nmake: *** [check] Error 1\n',
    'the list is out of date',
  ],
  ['no line of a count without errors', '3 passed, 0 errors\nthe end\n', 'the end'],
])('finds %s', (_what, output, line) => {
  expect(foundIn(output)).toBe(line);
});

it('finds what a test wrote to standard error when that is why it failed', () => {
  const stderr = 'warning: old\nmore\n';
  expect(foundIn('Error: expected\nwarning: old\n', 'FAIL stderr: warning: old', stderr)).toBe(
    'warning: old',
  );
});

it("finds the runner's own line about a test that took too long", () => {
  const line = own('ERROR: timed out on command "x" (kind: test)');
  expect(foundIn(`Error: expected\n${line}`, 'FAIL timed out')).toBe(line.trimEnd());
});

it('finds where a test begins that wrote nothing', () => {
  expect(foundIn('')).toBe(own('test x: [-----------------------').trimEnd());
});

it('finds the dependency that the runner cannot parse', () => {
  const indexer = new LogIndexer(ERRORS);
  const line = "-: warning: can't parse dependency a | | b";
  indexer.add(
    Buffer.from(
      own('test x: preparing testbed') +
        `${line}\nCan't call method "output" on an undefined value at - line 6.\n` +
        own('ERROR: testbed failure: failed to run perl for parsing dependencies'),
    ),
  );
  indexer.end();
  expect(indexer.excerpt()?.lines).toContain(line);
  const { errorLine, firstLine, lines } = indexer.excerpt()!;
  expect(lines[errorLine - firstLine]).toBe(line);
});

it('finds the dependency that is missing', () => {
  const indexer = new LogIndexer(ERRORS);
  const log = [
    own('test x: preparing testbed'),
    'E: Unable to locate package nothing\n',
    'x    FAIL badpkg\n',
    own('@@@@@@@@@@@@@@@@@@@@ summary'),
    'x    FAIL badpkg\n',
  ];
  indexer.add(Buffer.from(log.join('')));
  indexer.end();
  expect(indexer.excerpt()!.errorLine).toBe(2);
});
