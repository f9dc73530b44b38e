import { absenceOf, type PackageSearch } from './absence';

/** As autopkgtest 5.28 ends with bookworm's lists. */
const SAID = (name: string): string =>
  `blame: ${name} badpkg: rules extract failed with exit code 1 erroneous package: rules extract failed with exit code 1`;
const HEAD = `Reading package lists...
autopkgtest [03:02:05]: testbed dpkg architecture: amd64
autopkgtest [03:02:07]: testbed running kernel: Linux 6.18.44 #1 SMP
`;
const log = (
  name: string,
  line: string,
): string => `${HEAD}autopkgtest [02:39:41]: @@@@@@@@@@@@@@@@@@@@ apt-source ${name}
${line}blame: ${name}
badpkg: rules extract failed with exit code 1
autopkgtest [02:39:41]: ERROR: erroneous package: rules extract failed with exit code 1
`;
const searchFor = (changes: Partial<PackageSearch> = {}): PackageSearch => ({
  package: 'no-such-source',
  suite: 'bookworm',
  arch: 'amd64',
  pinPackages: [],
  extraAptSources: [],
  ...changes,
});
const LOCATE = 'W: Unable to locate package no-such-source\n';

describe('a source package that is not there', () => {
  it.each<[string, PackageSearch, string, string | null]>([
    [
      'apt finds it in no list',
      searchFor(),
      log('no-such-source', LOCATE),
      'bookworm has no source package no-such-source',
    ],
    [
      'a newer apt-get source says so',
      searchFor(),
      log('no-such-source', 'E: Unable to find a source package for no-such-source\n'),
      'bookworm has no source package no-such-source',
    ],
    [
      'it has nothing for the architecture',
      searchFor({ package: 'longrun' }),
      log('longrun', ''),
      'bookworm has nothing of the source package longrun for amd64',
    ],
    [
      'pins and sources were searched too',
      searchFor({ pinPackages: [['src:x', 'trixie']], extraAptSources: [{ name: 'embargoed' }] }),
      log('no-such-source', LOCATE),
      'bookworm, trixie and the source embargoed have no source package no-such-source',
    ],
    [
      'a name with characters of patterns',
      searchFor({ package: 'libstdc++6' }),
      log('libstdc++6', 'W: Unable to locate package libstdc++6\n'),
      'bookworm has no source package libstdc++6',
    ],
    ['its files could not be unpacked', searchFor(), log('no-such-source', 'dpkg-source: error: x\n'), null],
    [
      'lists could not be fetched',
      searchFor(),
      log('no-such-source', `W: Failed to fetch http://x\n${LOCATE}`),
      null,
    ],
    [
      'the log has as many empty lines as are read of it',
      searchFor(),
      log('no-such-source', LOCATE + '\n'.repeat(64 * 1024)),
      'bookworm has no source package no-such-source',
    ],
  ])('%s', (_case, request, text, absence) => {
    expect(absenceOf(request, { exitCode: 12, message: SAID(request.package), log: text })).toBe(absence);
  });

  it.each([
    [
      'its tarball is missing from the mirror',
      16,
      'testbed failure: rules extract failed with exit code 100 (apt failure)',
    ],
    ['its dependencies cannot be installed', 12, 'badpkg: Test dependencies are unsatisfiable.'],
    ['dpkg-source fails in another way', 12, 'badpkg: rules extract failed with exit code 25'],
    ['it failed', 4, ''],
  ])('is not what it is when %s', (_case, exitCode, message) => {
    expect(absenceOf(searchFor(), { exitCode, message, log: log('no-such-source', LOCATE) })).toBeNull();
  });

  it('names neither a test bed that set up before nor a package with a longer name', () => {
    const text = `W: Unable to locate package no-such-source\n${log('no-such-source', 'W: Unable to locate package no-such-source-data\n')}`;
    expect(absenceOf(searchFor(), { exitCode: 12, message: SAID('no-such-source'), log: text })).toBe(
      'bookworm has nothing of the source package no-such-source for amd64',
    );
  });
});
