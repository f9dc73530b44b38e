import type { Symptoms } from './trouble';

/** Runners since 5.28 end with these words after an unexpected error; the traceback follows them in the log. */
const UNEXPECTED = 'unexpected error:';

/** A frame of a Python traceback, and the line of source below it. */
const FRAME = /^ +File "([^"\n]+)", line \d+, in (\S+)\n(?: +(\S.*)\n)?/gm;

/** The start of each traceback: an exception that was raised while another one was handled has two. */
const TRACEBACK = /^Traceback \(most recent call last\):\n/m;

/** The exception: the first line of a traceback that is not indented. Its class may have any name. */
const EXCEPTION = /^[A-Za-z_][\w.]*(?::.*)?$/m;

/** Folders in which the worker has the package's files. Messages must not show the machine's folders. */
const OWN_FOLDERS = ['/pkg/debian', '/tests-tree/debian'];

/** The file of the runner that only reads the description of a package's tests. */
const READS_TESTS = /\/testdesc\.py$/;
/** The functions that pass the dependencies of tests to apt, in one argument of a command. */
const PASSES_DEPENDENCIES =
  /^(?:install_deps|satisfy_dependencies|satisfy_dependencies_string|install_apt|_run_apt_install|install_tmp)$/;

/** The function that executes a test. A value that it cannot pass to a program comes from the package's command. */
const RUNS_TEST = 'run_test';
const OF_COMMAND: readonly [RegExp, string][] = [
  [/\[Errno 7\]/, 'is too long for a command line'],
  [/^ValueError: embedded null byte/, 'has a NUL character'],
];

/** The function that unpacks or builds a package. */
const UNPACKS = 'source_rules_command';

/**
 * Errors for which the machine may be the reason. Other errors are the package's where the program only reads these
 * files.
 */
const OF_MACHINE =
  /^(?:MemoryError|BlockingIOError|TimeoutError|BrokenPipeError)|\[Errno (?:5|12|23|24|28|30|122)\]/;

/** Pattern of a line of the runner's source → the file that it reads. */
const FILES: readonly [RegExp, string][] = [
  [/dcontrol|debian\/control|_from_source\b/, 'debian/control'],
  [/control_path|tests\/control/, 'debian/tests/control'],
  [/changelog/, 'debian/changelog'],
];

/**
 * Describes for people what in a package made the runner crash, if it crashed while it read the package or passed on a
 * value of it. Null if it crashed elsewhere, or did not crash: the reason is unknown then.
 */
export function crashByPackage(symptoms: Symptoms): string | null {
  const traceback = tracebackOf(symptoms);
  const exceptions = exceptionsOf(traceback);
  const exception = exceptions.at(-1)?.replace(/'[^']*'/g, withoutOwnFolder);
  const frames = [...traceback.matchAll(FRAME)].map(([, path = '', name = '', source = '']) => ({
    path,
    name,
    source,
  }));
  if (exception === undefined || exceptions.some((each) => OF_MACHINE.test(each))) return null;
  if (/\[Errno 7\]/.test(exception) && frames.some(({ name }) => PASSES_DEPENDENCIES.test(name)))
    return `the dependencies of its tests are too long for a command line: ${exception}`;
  if (frames.some(({ name }) => name === RUNS_TEST)) {
    const why = OF_COMMAND.find(([pattern]) => pattern.test(exception))?.[1];
    if (why !== undefined) return `the command of a test ${why}: ${exception}`;
  }
  // To unpack a package it reads only the first line of the changelog itself.
  if (/^UnicodeDecodeError/.test(exception) && frames.some(({ name }) => name === UNPACKS))
    return `the test runner cannot read the first line of debian/changelog: ${exception}`;
  const reading = frames.findLast(({ path }) => READS_TESTS.test(path));
  if (!reading) return null;
  return `the test runner cannot read ${fileOf(frames)}: ${exception}`;
}

/** The runner's message about a package whose dependencies perl could not parse; it names the testbed. */
const UNPARSED = 'failed to run perl for parsing dependencies';

/** What perl writes about a program of its standard input. Without these modules it parses nothing. */
const OF_PERL = /^(?: *\d+s )?(-: (?:warning|error): .+|(?!Can't locate ).+ at - line \d.*)$/m;

/** Describes for people the dependencies of a package that the runner could not parse; null when it could. */
export function unparsedDependencies({ message, log }: Symptoms): string | null {
  const why = message.includes(UNPARSED) ? OF_PERL.exec(log)?.[1] : undefined;
  return why === undefined ? null : `the test runner cannot parse the dependencies of its tests: ${why}`;
}

function withoutOwnFolder(quoted: string): string {
  const at = Math.max(...OWN_FOLDERS.map((folder) => quoted.lastIndexOf(folder)));
  return at < 0 ? quoted : `'${quoted.slice(quoted.indexOf('debian', at))}`;
}

/**
 * The exception with which the runner crashed, as one line; null when it did not crash, or its log has no exception.
 */
export function crashException(symptoms: Symptoms): string | null {
  return exceptionsOf(tracebackOf(symptoms)).at(-1) ?? null;
}

/** The start of the traceback of a virtualisation server; the runner then reads nothing more from it. */
const SERVER_CRASHED = '\nUnexpected error:\n';
const SERVER_GONE = 'testbed failure: unexpected eof from the testbed';
/** A program of the server or of the testbed did not end within so many seconds. */
const TIMEOUT = /^VirtSubproc\.Timeout: (\d+)$/;

/**
 * Why the virtualisation server ended before its runner, as one line; null when it did not, or the log has no reason.
 */
export function serverCrash(log: string): string | null {
  const lines = withoutTimes(log);
  const begin = lines.lastIndexOf(SERVER_CRASHED);
  if (begin < 0 || !lines.includes(SERVER_GONE, begin)) return null;
  const exception = exceptionsOf(lines.slice(begin)).at(-1);
  const [, seconds] = TIMEOUT.exec(exception ?? '') ?? [];
  return seconds === undefined ? (exception ?? null) : `a program did not end within ${seconds} s`;
}

/** Empty when the runner did not crash. */
function tracebackOf({ exitCode, message, log }: Symptoms): string {
  const begin = log.lastIndexOf(UNEXPECTED);
  if (exitCode !== 20 || !message.includes('unexpected error') || begin < 0) return '';
  return withoutTimes(log.slice(begin + UNEXPECTED.length));
}

/** Since 5.29 autopkgtest starts each line with the seconds that have passed. */
function withoutTimes(text: string): string {
  return text.replace(/^ *\d+s /gm, '');
}

/** The exceptions of a traceback in the order in which they were raised: the last one ended the runner. */
function exceptionsOf(traceback: string): string[] {
  const [, ...parts] = traceback.split(TRACEBACK);
  return parts.flatMap((part) => EXCEPTION.exec(part)?.[0] ?? []);
}

/** The file of the last frame that names one: the frames after it read it line by line. */
function fileOf(frames: readonly { source: string }[]): string {
  for (const { source } of frames.toReversed()) {
    const [, name] = FILES.find(([pattern]) => pattern.test(source)) ?? [];
    if (name !== undefined) return name;
  }
  return 'the description of its tests';
}
