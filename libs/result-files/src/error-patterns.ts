/** Characters of a line that are searched for errors. */
export const SEARCHED_LENGTH_MAX = 1_000;

/**
 * What a line says about a failure, the best explanation first. `cause`: what went wrong. `trace`: how the program
 * reached the line before, which says what went wrong. `trouble`: what the system could not do; working programs write
 * such lines too. `failure`: which check failed. `program`: which program of checks failed. `error`: that something is
 * wrong. `detail`: what went wrong if a failure is near; passing checks write such lines too. `consequence`: that
 * something before it failed. `harmless`: none of this, although it looks so. `progress`: that a check passed.
 */
export type LineKind =
  | 'cause'
  | 'trace'
  | 'trouble'
  | 'failure'
  | 'program'
  | 'error'
  | 'detail'
  | 'consequence'
  | 'harmless'
  | 'progress';

/**
 * Patterns of lines, as JavaScript's regular expressions: the first match decides the kind. Each takes time that grows
 * only linearly with the length of a line, so that a hostile line takes little longer than another: none looks back,
 * and one that may start anywhere does not read past its own start.
 */
const KINDS: readonly [LineKind, readonly string[]][] = [
  [
    'harmless',
    [
      '^[WIN]: ',
      '^(?:Get|Hit|Ign|Setting up|Unpacking|Selecting|Preparing to unpack|Removing|Processing triggers)\\b',
      '^(?:dpkg|apt|debconf)[a-z-]*: (?:warning|delaying)',
      '^E: Can not write log ',
      '^checking (?:for|whether|if|how) ',
      '\\b(?:0|[Nn]o) (?:errors?|failures?|failed|fails)\\b(?!.{0,80}\\b[1-9]\\d* (?:errors?|failures?|failed))',
      '\\b[Ee]rrors?: +0\\b(?!.{0,80}: +[1-9])',
      '^(?:XFAIL|xfail|# TODO|not ok .{0,200}# (?:TODO|SKIP))',
      '\\bexpected (?:fail|error)',
      '^(?:gcc|cc|g\\+\\+|c\\+\\+|libtool|/bin/(?:ba)?sh|[a-z0-9_]+-linux-gnu-g)\\S* .{0,400}-[cIWO]',
      '^\\+{1,5} ',
      "^configure: error: in [`'\\u2018]",
      '^\\[ERROR\\] *$',
      '^-- ',
    ],
  ],
  [
    'progress',
    [
      '^ {0,12}ok \\d',
      '^(?:PASS|PASSED|OK|ok)\\b',
      '^ *--- PASS',
      '^=== RUN',
      '\\.\\.\\. ?(?:ok|OK|passed|PASS)$',
      '^ *\\d+/\\d+ .{0,300}\\b(?:OK|Passed)\\b',
    ],
  ],
  [
    'consequence',
    [
      '^(?:g|/usr/bin/)?make(?:\\[\\d+\\])?: (?!\\*\\*\\* (?:No |.{0,200}No such file))',
      '\\*\\*\\* (?:(?!\\*\\*\\* ).){0,300}Error \\d',
      '^collect2: error',
      '\\bld returned \\d',
      '^(?:dh_\\w+|dpkg-buildpackage): error',
      '^npm (?:ERR!|error)',
      '^# Looks like (?:you|your)',
      '^#? ?Result: ',
      '^Failed \\d+/\\d+ ',
      '^FAILED \\((?:failures|errors)',
      '^=+ .{0,200}(?:failed|error)',
      '^error: (?:could not compile|test failed|aborting due to|\\d+ target)',
      '^(?:For more information|test result: FAILED)',
      '^Execution halted',
      '^Error: Test failures',
      '^(?:FAIL|FAILED)$',
      '^(?:FAIL|FAILED|ERROR|ERRORS): +\\d+$',
      '^FAIL\\t\\S',
      '^exit status \\d',
      '^# (?:FAIL|ERROR):',
      '^\\d+% tests passed',
      '^The following tests FAILED',
      '^Errors while running CTest',
      '^(?:ERROR|FAILED) \\S+(?: - .*)?$',
      '^\\[ERROR\\] (?:Failed to execute(?!.{0,200}: Could not resolve)|BUILD FAILURE|-> |To see|Re-run|For more|\\[Help)',
      '^ERROR: \\d+ of \\d+',
      '^E: (?:Failed|Sub-process)',
      '^Tests?(?: run)?: .{0,200}(?:Failures|failed)',
      '^\\w+ failed, \\w+ ',
      '^\\d+ of \\d+ .{0,60}failed',
      '^ *\\d+ (?:tests? )?fail',
      '^child process exited|^Process exited|^Subprocess',
      '^cp: warning',
      // What looks into a failure before it.
      ': (?:journalctl|coredumpctl|dmesg|lsof|netstat|ss|pstree): (?:command )?not found$',
      '^(?:cat|tail|head|ls): .{0,40}/var/log/',
      '^(?:dmesg|journalctl|coredumpctl): ',
    ],
  ],
  [
    'program',
    [
      '\\*\\*\\*(?:Failed|Exception|Timeout|Not Run)',
      '^ *\\d+/\\d+ .{0,300}\\b(?:FAIL|TIMEOUT|ERROR)\\b',
      '^\\S.{0,200} time out \\(After \\d',
      // Ninja's; the reason follows after the command.
      '^FAILED: +\\S',
    ],
  ],
  ['trace', ['^ {0,8}(?:while executing|stack traceback:)$', '^CallStack \\(from HasCallStack\\)']],
  [
    'failure',
    [
      '^ {0,12}not ok\\b',
      '^ {0,12}# +Failed test',
      '^ *--- FAIL: ',
      '^(?:FAIL|FAILURE|ERROR): +\\S',
      '^ *\\[ +FAILED +\\]',
      '\\*\\*fail',
      '^ *\\[ ?(?:fail|FAIL|ko|KO)\\b',
      '^[\\w.-]{1,40} ERR\\b',
      '^ *\\d+: .{0,200}FAILED \\(',
      '^test .{1,300} \\.\\.\\. FAILED$',
      '^ {1,8}\\d+\\) (?:Failure|Error):?',
      '^ {0,6}(?:\\u2716|\\u2717|\\u2718) ',
      '^==== .{1,200} FAILED$',
      '^!!!!! test failed',
      '\\bFAILED$',
      '^FAIL\\b',
      '\\*failed\\*',
      '^_{3,} .{0,200} _{3,}$',
    ],
  ],
  [
    'cause',
    [
      // Compilers and linkers.
      ':\\d+(?::\\d+)?: (?:fatal |internal |syntax )?error\\b',
      '^error(?:\\[E\\d+\\])?: ',
      '\\bundefined reference to\\b',
      '\\bcannot find -l',
      '^CMake Error',
      '\\bmeson\\.build:\\d+:\\d+: ERROR',
      '^Error: \\S',
      '^Error in ',
      '^error: \\S',
      '^\\[ERROR\\] \\S{1,400}:\\[\\d+,\\d+\\] ',
      // Go's compiler writes only place and message.
      '^\\S{1,200}\\.go:\\d+:\\d+: ',
      // What an assertion says.
      '^E {2,12}\\S',
      '[Aa]ssertion (?:(?!ssertion ).){0,200}failed',
      '^ *Assertion with ',
      '^ *Failure/Error: ',
      '^Failed asserting ',
      '^ {2,8}expect\\(\\w{0,40}\\)\\.',
      '\\S \\u2718 \\S',
      '\\bASSERT:',
      ':\\d+: (?:FAILED:|Failure$|ERROR: )',
      '^\\u2500\\u2500 (?:Failure|Error) ',
      '^#{4,}> Diff in',
      '\\*\\*\\* Failed! ',
      '^\\*\\*error:',
      "^thread '.{0,200}' panicked at",
      '\\bpanic: ',
      '^ *\\*\\* \\(\\w',
      // Exceptions.
      "^(?:Can't|Cannot) (?:locate|open|load|find) ",
      "^Can't (?:call method|use an undefined) ",
      "^-: warning: can't parse dependency",
      '(?:^|[\\s(.])(?:[A-Z]\\w{0,60})?(?:Error|Exception)(?: \\[\\w{1,60}\\])?: ',
      '\\binit terminating in ',
      '^Exception in thread ',
      '^PHP (?:Fatal|Parse) error: ',
      '^(?:Fatal|Uncaught) (?:error|exception)',
      '\\.lua:\\d+: ',
      'invalid command name',
      '^ *Broken autopkgtest-satdep',
      '^(?:g|/usr/bin/)?make(?:\\[\\d+\\])?: \\*\\*\\* (?:No |.{0,200}No such file)',
      '^E: Unable to (?:locate|correct)',
      'Depends: (?:(?!Depends: ).){0,300}but (?:it|\\S{1,100}) is ',
      'The following packages have unmet dependencies',
    ],
  ],
  [
    'trouble',
    [
      '\\bcommand not found$',
      ': not found$',
      ': unrecognized service$',
      '\\bUnit \\S{1,200} (?:(?:could )?not (?:be )?(?:found|loaded)|is masked)',
      '\\bNo such file or directory\\b',
      '\\b[Pp]ermission denied\\b',
      '\\b[Cc]onnection refused\\b',
      '\\bNo space left on device\\b',
      '\\bcannot open shared object file\\b',
      '[Ss]egmentation fault',
      '\\b(?:core dumped|Aborted|Bus error|Illegal instruction)\\b',
      '\\bKilled$',
      '\\b(?:[Cc]annot|[Cc]ould not|[Uu]nable to) resolve\\b',
      '\\b[Tt]emporary failure in name resolution\\b',
      '^\\[WARNING\\] The POM for \\S{1,300} is missing',
    ],
  ],
  ['detail', ['^ {4,12}\\S{1,200}_test\\.go:\\d+: ']],
  [
    'error',
    [
      '^E: ',
      '\\b(?:[Ee]rror|ERROR|FATAL|failed|FAILED|FAIL|[Mm]ismatch|[Uu]nexpected|[Ii]ncorrect|line \\d+:)(?:\\W|$)',
      '^[Ff]atal: ',
      '^System has not been booted with systemd ',
      '\\bTraceback \\(most recent call last\\)',
      '^\\d+(?:,\\d+)?[acd]\\d+(?:,\\d+)?$',
      '^@@ -',
      // Dune's, before a difference.
      '^File ".{1,300}", line 1, characters 0-0:$',
    ],
  ],
];

/** Patterns of lines that may be about an error. A deployment may add its own. */
export const ERROR_PATTERNS: readonly string[] = KINDS.filter(
  ([kind]) => kind !== 'harmless' && kind !== 'progress',
).flatMap(([, patterns]) => patterns);

const EXPRESSIONS = KINDS.map(([kind, patterns]): [LineKind, RegExp] => [kind, errorExpression(patterns)]);

const PROGRESS = EXPRESSIONS.find(([kind]) => kind === 'progress')![1];

/**
 * The kind of a line that matches one of the patterns. A line that matches only a deployment's own pattern is a cause.
 */
export function lineKind(line: string): LineKind {
  return EXPRESSIONS.find(([, expression]) => expression.test(line))?.[0] ?? 'cause';
}

/** Whether a line says that a check passed. */
export function isProgress(line: string): boolean {
  return PROGRESS.test(line);
}

/**
 * One expression for all patterns. Patterns for the start of a line are one alternative, so that they are tried only
 * there.
 * @throws SyntaxError for an invalid pattern
 */
export function errorExpression(patterns: readonly string[]): RegExp {
  if (patterns.length === 0) return /(?!)/;
  const anchored = patterns.filter(isAnchored).map((each) => `(?:${each.slice(1)})`);
  const others = patterns.filter((each) => !isAnchored(each)).map((each) => `(?:${each})`);
  return new RegExp((anchored.length > 0 ? [`^(?:${anchored.join('|')})`, ...others] : others).join('|'));
}

/** Whether a pattern matches only at the start of a line: it has no alternative without `^`. */
function isAnchored(pattern: string): boolean {
  let depth = 0;
  let isInClass = false;
  for (const [part] of pattern.matchAll(/\\.|[^\\]/gs)) {
    if (isInClass) isInClass = part !== ']';
    else if (part === '[') isInClass = true;
    else if (part === '(') depth += 1;
    else if (part === ')') depth -= 1;
    else if (part === '|' && depth === 0) return false;
  }
  return pattern.startsWith('^');
}
