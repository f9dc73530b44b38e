import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverTrouble } from './output';
import { parseSummary } from './summary';
import { judge } from './verdict';

/** How autopkgtest 5.28 ended with a package made for it: what it left, cut to its end. */
interface RecordedEnd {
  of: string;
  package: string;
  exitCode: number;
  summary: string;
  log: string;
}

const ENDS = JSON.parse(readFileSync(join(__dirname, 'recorded-ends.json'), 'utf8')) as RecordedEnd[];

function judgeRecording(end: RecordedEnd) {
  const detail = [parseSummary(end.summary).trouble, serverTrouble(end.log)].filter(Boolean).join(': ');
  const names = { package: end.package, suite: 'sid', arch: 'amd64', pinPackages: [], extraAptSources: [] };
  return judge({ exitCode: end.exitCode, detail, logEnd: end.log }, names);
}

const DECODE = (place: string, position: number): string =>
  `the test runner cannot read ${place}: UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in position ${position}: invalid continuation byte`;

/** What of a package → its verdict, and the beginning of the message. */
const TABLE: Record<string, [verdict: string, message: string]> = {
  'a Latin-1 byte in debian/tests/control': ['fail', DECODE('debian/tests/control', 25)],
  'a Latin-1 byte in the name of a test': ['fail', DECODE('debian/tests/control', 10)],
  'a Latin-1 byte in debian/control': ['fail', DECODE('debian/control', 73)],
  'a Latin-1 byte in debian/control, with build dependencies': ['fail', DECODE('debian/control', 74)],
  'very many dependencies': [
    'fail',
    "the dependencies of its tests are too long for a command line: OSError: [Errno 7] Argument list too long: 'unshare'",
  ],
  'no stanza': ['neutral', 'there are no tests'],
  'a NUL in the dependencies': ['fail', 'the package or its tests are erroneous: blame'],
  'odd dependencies': ['fail', 'the package or its tests are erroneous: blame'],
  'control characters in the name of a test': ['fail', 'the package or its tests are erroneous: blame'],
  'a test without a file': ['fail', 'the package or its tests are erroneous: blame'],
  'a command with odd quotes': ['fail', 'at least one test failed'],
  'no debian/control': ['pass', 'all tests passed'],
  'a folder of tests that is a link to itself': [
    'fail',
    "the package or its tests are erroneous: unpacking the source package failed: dpkg-source: error: pathname 'src/debian/tests' cannot be canonicalized",
  ],
  'a folder of tests that leads outside': [
    'fail',
    "the package or its tests are erroneous: unpacking the source package failed: dpkg-source: error: pathname 'src/debian/tests' points outside source root (to '/etc')",
  ],
  'a broken link in place of debian/tests/control': ['neutral', 'there are no tests'],
  'a pipe among the tests': ['pass', 'all tests passed'],
  'a test that is not executable': ['pass', 'all tests passed'],
  'an unknown source format': [
    'fail',
    "the package or its tests are erroneous: unpacking the source package failed: dpkg-source: error: source package format '9.9 (strange)' is not supported",
  ],
  'a patch that does not apply': [
    'fail',
    'the package or its tests are erroneous: unpacking the source package failed: dpkg-source: error: LC_ALL=C patch',
  ],
  'a test that kills all processes': ['fail', 'at least one test failed'],
  'a test that removes its testbed': [
    'tmpfail',
    'the testbed failed under the test ok: testbed failure: unexpected eof from the testbed: FileNotFoundError: [Errno 2]',
  ],
  'a test that ends with 254': [
    'tmpfail',
    'the testbed failed under the test ok: testbed failure: testbed auxverb failed with exit code 254',
  ],
  'a slash in the name of a test': ['neutral', 'there are no tests'],
  'a folder of tests outside of the package': ['fail', 'the package or its tests are erroneous: blame'],
  'a test that is described twice': ['fail', 'the package or its tests are erroneous: blame'],
  'a name of 5000 characters': ['fail', 'the package or its tests are erroneous: blame'],
  'a Latin-1 byte in the first line of debian/changelog': [
    'fail',
    "the test runner cannot read the first line of debian/changelog: UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff",
  ],
  'a folder in place of debian/tests/control': [
    'fail',
    "the test runner cannot read debian/tests/control: IsADirectoryError: [Errno 21] Is a directory: 'debian/tests/control'",
  ],
  'dependencies that exclude each other': [
    'fail',
    'the package or its tests are erroneous: installing the dependencies of the tests failed: exim4-config : Conflicts: postfix but 3.7.11-0+deb12u1 is to be installed exim4-daemon-light : Conflicts: mail-transport-agent',
  ],
  'no debian/changelog': [
    'fail',
    "the package or its tests are erroneous: unpacking the source package failed: sed: can't read debian/changelog: No such file or directory",
  ],
  'a command that is too long': [
    'fail',
    "the command of a test is too long for a command line: OSError: [Errno 7] Argument list too long: 'unshare'",
  ],
  'a NUL in a command': ['fail', 'the command of a test has a NUL character: ValueError: embedded null byte'],
  'a Latin-1 byte in debian/changelog': ['pass', 'all tests passed'],
  'a build without its dependencies': [
    'fail',
    'the package or its tests are erroneous: installing the dependencies of the tests failed',
  ],
  'a dependency that nothing provides': [
    'fail',
    'the package or its tests are erroneous: installing the dependencies of the tests failed',
  ],
  'an empty alternative in the dependencies': [
    'fail',
    "the test runner cannot parse the dependencies of its tests: -: warning: can't parse dependency",
  ],
  'a package without an architecture in debian/control': [
    'fail',
    "the test runner cannot read debian/control: KeyError: 'Architecture'",
  ],
  'no tests': ['neutral', 'there are no tests'],
  'an unknown restriction': ['neutral', 'there are no tests'],
  'a package that is not there': ['absent', 'sid has no'],
};

describe('what packages have made a real runner do', () => {
  it.each(ENDS.map((end): [string, RecordedEnd] => [end.of, end]))('%s', (of, end) => {
    const { verdict, message } = judgeRecording(end);
    expect([verdict, message.slice(0, TABLE[of]?.[1].length)]).toEqual(TABLE[of]);
  });

  it('each of the table was recorded', () => {
    expect(ENDS.map(({ of }) => of).sort()).toEqual(Object.keys(TABLE).sort());
  });

  it('a runner that cannot parse anything says nothing of the package', () => {
    const end = ENDS.find(({ of }) => of === 'an empty alternative in the dependencies')!;
    const missing = "Can't locate Dpkg/Deps.pm in @INC (you may need to install it) at - line 1.\n";
    const log = end.log.replace(/^-: [^]*line 6\.\n/m, missing);
    expect(log).toContain(missing);
    expect(judgeRecording({ ...end, log })).toMatchObject({ verdict: 'tmpfail' });
  });

  it('a runner that crashes elsewhere, or for want of memory, says nothing of the package', () => {
    const [end] = ENDS;
    const crashed = (change: (log: string) => string) => judgeRecording({ ...end!, log: change(end!.log) });
    const elsewhere = crashed((log) => log.replaceAll('lib/testdesc.py', 'lib/adt_testbed.py'));
    const memory = crashed((log) => log.replace(/^UnicodeDecodeError: .*$/m, 'MemoryError'));
    const disk = crashed((log) =>
      log.replace(/^UnicodeDecodeError: .*$/m, 'OSError: [Errno 28] No space left on device'),
    );
    expect([elsewhere, memory, disk].map(({ verdict }) => verdict)).toEqual([
      'tmpfail',
      'tmpfail',
      'tmpfail',
    ]);
  });

  it.each([
    ['socket.gaierror: [Errno -2] Name or service not known'],
    ['VirtSubproc.Timeout'],
    ["KeyError: 'x'"],
  ])('the message of a runner that crashes elsewhere names %s', (exception) => {
    const [end] = ENDS;
    const log = end!.log
      .replaceAll('lib/testdesc.py', 'lib/adt_testbed.py')
      .replace(/^UnicodeDecodeError: .*$/m, exception);
    expect(judgeRecording({ ...end!, log }).message).toBe(`the test runner failed: ${exception}`);
  });

  it('of a crash while another one was handled the message names the later, and a cause in the machine counts', () => {
    const [end] = ENDS;
    const after = (first: string): string =>
      end!.log.replace(
        /unexpected error:\n/,
        `$&Traceback (most recent call last):\n  File "/usr/bin/autopkgtest", line 1, in main\n    x()\n${first}\n\n` +
          'During handling of the above exception, another exception occurred:\n\n',
      );
    expect(judgeRecording({ ...end!, log: after('KeyError: 1') })).toMatchObject({
      verdict: 'fail',
      message: expect.stringContaining('UnicodeDecodeError') as string,
    });
    const ofMachine = after('OSError: [Errno 28] No space left on device');
    expect(judgeRecording({ ...end!, log: ofMachine }).verdict).toBe('tmpfail');
  });
});
