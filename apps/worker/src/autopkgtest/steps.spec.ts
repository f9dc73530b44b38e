import { findFailedStep } from './steps';
import { judge } from './verdict';

/** What autopkgtest 5.28 says of an extra source, as the lines of its summary joined into one. */
const addSource = (
  source: string,
  file = 'autopkgtest-add-apt-sources.list',
  end = 'failed with status 1',
): string =>
  `"sh -ec echo "$1" >> /etc/apt/sources.list.d/$2 for retry in 1 2 3; do apt-get --no-list-cleanup \\ -o Dir::Etc::sourcelist=/etc/apt/sources.list.d/$2 \\ -o Dir::Etc::sourceparts=/dev/null \\ update 2>&1 && break || \\ if [ $retry = 3 ] ; then return 1 else sleep 15 fi done sh ${source} ${file}" ${end}`;
const SOURCE = 'deb http://archive.example/debian nosuchsuite main';
const NO_RELEASE =
  "E: The repository 'http://archive.example/debian nosuchsuite Release' does not have a Release file.";
const log = (...lines: string[]): string =>
  [...lines, ...lines, 'autopkgtest [10:00:00]: ERROR: it quotes its script here'].join('\n');

describe('a step of the preparation that failed', () => {
  it.each<[string, number, string, string, string, string, string | undefined]>([
    [
      'an extra source that has no such suite',
      20,
      addSource(SOURCE),
      log(
        'Err:1 http://archive.example/debian nosuchsuite Release',
        '  404  Not Found [IP: 192.0.2.1 80]',
        NO_RELEASE,
      ),
      `adding the apt source ${SOURCE} failed: ${NO_RELEASE}`,
      'tmpfail',
      'request',
    ],
    [
      'an extra source without such a component',
      20,
      addSource('deb http://archive.example/debian sid mian'),
      log(
        "W: Skipping acquire of configured file 'mian/binary-amd64/Packages' as repository 'http://archive.example/debian sid InRelease' doesn't have the component 'mian' (component misspelt in sources.list?)",
      ),
      "adding the apt source deb http://archive.example/debian sid mian failed: W: Skipping acquire of configured file 'mian/binary-amd64/Packages' as repository 'http://archive.example/debian sid InRelease' doesn't have the component 'mian' (component misspelt in sources.list?)",
      'tmpfail',
      'request',
    ],
    [
      'an extra source with another key',
      20,
      addSource(SOURCE),
      log("E: The repository 'http://archive.example/debian nosuchsuite InRelease' is not signed."),
      `adding the apt source ${SOURCE} failed: E: The repository 'http://archive.example/debian nosuchsuite InRelease' is not signed.`,
      'tmpfail',
      'request',
    ],
    [
      'an extra source that is no line of apt',
      20,
      addSource('deb nonsense'),
      log('E: Malformed entry 1 in list file /etc/apt/sources.list.d/x.list (URI)'),
      'adding the apt source deb nonsense failed: E: Malformed entry 1 in list file /etc/apt/sources.list.d/x.list (URI)',
      'tmpfail',
      'request',
    ],
    [
      'a server that does not answer',
      20,
      addSource(SOURCE),
      log(
        'Err:1 http://archive.example/debian nosuchsuite InRelease',
        '  Could not connect to archive.example:80 (192.0.2.1). - connect (111: Connection refused)',
        'E: Failed to fetch http://archive.example/debian/dists/nosuchsuite/InRelease  Could not connect to archive.example:80 (192.0.2.1). - connect (111: Connection refused)',
        'E: Some index files failed to download. They have been ignored, or old ones used instead.',
      ),
      `adding the apt source ${SOURCE} failed: E: Failed to fetch http://archive.example/debian/dists/nosuchsuite/InRelease Could not connect to archive.example:80 (192.0.2.1). - connect (111: Connection refused)`,
      'tmpfail',
      'archive',
    ],
    [
      'a server that is too slow',
      16,
      `testbed failure: timed out on command ${addSource(SOURCE, undefined, '(kind: short)')}`,
      '',
      `adding the apt source ${SOURCE} failed: it took too long`,
      'tmpfail',
      'testbed',
    ],
    [
      'a pinned suite that the mirror does not have',
      20,
      addSource(
        'deb http://archive.example/debian nosuchsuite main deb-src http://archive.example/debian nosuchsuite main',
        'autopkgtest-add-apt-release-nosuchsuite.list',
      ),
      log(NO_RELEASE),
      `adding the suite nosuchsuite for pinned packages failed: ${NO_RELEASE}`,
      'tmpfail',
      'request',
    ],
    [
      'a pin of a source package that is not there',
      20,
      `"sh -ec mkdir -p /etc/apt/preferences.d; PKGS=""; PKGS="$PKGS $(apt-cache showsrc no-such | awk '/^Package-List:/ { show=1; next } (/^ / && show==1) { print $1; next } { show=0 }' |sort -u | tr '\\n' ' ')"; printf "Package: $PKGS\\nPin: release a=testing\\nPin-Priority: 995\\n" > /etc/apt/preferences.d/autopkgtest-testing; " failed with stderr "W: Unable to locate package no-such "`,
      '',
      'pinning src:no-such to testing failed: W: Unable to locate package no-such',
      'tmpfail',
      'request',
    ],
    [
      'an upgrade without the mirror',
      16,
      'testbed failure: testbed setup commands failed with status 1',
      log(
        'E: Failed to fetch http://deb.example/debian/dists/sid/InRelease  Temporary failure resolving deb.example',
      ),
      'bringing the testbed up to date failed: E: Failed to fetch http://deb.example/debian/dists/sid/InRelease Temporary failure resolving deb.example',
      'tmpfail',
      'archive',
    ],
    [
      'an upgrade that breaks in dpkg is not the fault of the tested package',
      12,
      'badpkg: testbed setup commands failed with status 100',
      log(
        'dpkg: error processing package libc-bin (--configure):',
        'E: Sub-process /usr/bin/dpkg returned an error code (1)',
      ),
      'bringing the testbed up to date failed: dpkg: error processing package libc-bin (--configure):',
      'tmpfail',
      'testbed',
    ],
    [
      'files of the source that the mirror lacks',
      16,
      'testbed failure: rules extract failed with exit code 100 (apt failure)',
      log('E: Failed to fetch http://deb.example/pool/h/hello.dsc  404  Not Found'),
      'fetching the source package failed: E: Failed to fetch http://deb.example/pool/h/hello.dsc 404 Not Found',
      'tmpfail',
      'archive',
    ],
    [
      'a source package that cannot be unpacked',
      12,
      'badpkg: rules extract failed with exit code 2',
      log('dpkg-source: error: patch bad.patch does not apply'),
      'the package or its tests are erroneous: unpacking the source package failed: dpkg-source: error: patch bad.patch does not apply',
      'fail',
      undefined,
    ],
    [
      'dependencies that nothing provides',
      12,
      'badpkg: Test dependencies are unsatisfiable. A common reason is that your testbed is out of date',
      log(
        ' autopkgtest-satdep : Depends: no-such but it is not installable',
        'E: Unable to correct problems, you have held broken packages.',
      ),
      'the package or its tests are erroneous: installing the dependencies of the tests failed: autopkgtest-satdep : Depends: no-such but it is not installable',
      'fail',
      undefined,
    ],
    [
      'dependencies that the mirror did not hand out',
      16,
      'testbed failure: apt repeatedly failed to download packages',
      '',
      'fetching packages failed',
      'tmpfail',
      'archive',
    ],
    [
      'a machine without room',
      16,
      'testbed failure: testbed setup commands failed with status 1: No space left on device',
      log('E: Write error - write (28: No space left on device)'),
      'bringing the testbed up to date failed: E: Write error - write (28: No space left on device)',
      'tmpfail',
      'machine',
    ],
    [
      'another script of the runner',
      20,
      '"sh -ec mkdir -p /x; printf y > /x/y" failed with stderr "mkdir: cannot create directory"',
      '',
      'a step of preparing the testbed failed: mkdir: cannot create directory',
      'tmpfail',
      undefined,
    ],
  ])('%s', (_case, exitCode, detail, logEnd, message, verdict, trouble) => {
    const judgement = judge({ exitCode, detail, logEnd });
    expect([judgement.message, judgement.verdict, judgement.trouble]).toEqual([message, verdict, trouble]);
    expect(judgement.message).not.toMatch(/sh -e?c|\$1/);
  });

  it('is found at once in the longest words and log', () => {
    const message = `"sh -ec ${'sources.list.d/ sh '.repeat(50_000)}`;
    expect(findFailedStep({ exitCode: 20, message, log: 'E: '.repeat(20_000) })?.fault).toBeUndefined();
  });
});
