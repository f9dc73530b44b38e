import { currentTest, troubleOf } from './trouble';

const FETCH_ERROR =
  'Err:1 http://mirror.example bookworm InRelease\n  Could not connect to mirror.example:80\n';

const TEST = 'autopkgtest [03:13:51]: test one: ';
const PREPARED = `${TEST}preparing testbed\n`;
const BEGUN = `${PREPARED}${TEST}[-----------------------\nbye\n`;
const ENDED = `${BEGUN}${TEST}-----------------------]\n`;
const NEXT = `${ENDED}autopkgtest [03:13:59]: test two: preparing testbed\n`;

const COPY_FAILED = "testbed failure: sent `auxverb_debug_fail', got `copy-failed', expected `ok...'";

it.each([
  ['', null],
  [PREPARED, null],
  [BEGUN, 'one'],
  [BEGUN.replace(/^/gm, '  7s '), 'one'],
  [ENDED, 'one'],
  [NEXT, null],
  ['tar: Exiting\nautopkgtest-virt-unshare [12:28:29]: copyup destination failed, status 2\n', '*'],
  ['autopkgtest-virt-unshare [12:28:29]: copydown source failed, status 2\n', null],
])('the test that had its testbed is found in %j', (log, name) => {
  expect(currentTest(log)).toBe(name);
});

it.each([
  [16, 'testbed failure: rules extract failed with exit code 100 (apt failure)', '', 'archive'],
  [16, 'testbed failure: apt repeatedly failed to download packages', '', 'archive'],
  [20, 'E: Failed to fetch http://mirror.example/x  Could not resolve host', '', 'archive'],
  [20, '"sh -ec apt-get update" failed with status 100', FETCH_ERROR, 'archive'],
  [16, 'testbed failure: testbed setup commands failed with status 1', FETCH_ERROR, 'archive'],
  [16, 'testbed failure: testbed setup commands failed with status 1', 'dpkg: error', 'testbed'],
  [16, 'testbed failure: failed testbed apt update', FETCH_ERROR, 'archive'],
  [20, 'failed testbed apt update', FETCH_ERROR, 'archive'],
  [20, 'failed testbed apt update', 'dpkg: error', undefined],
  [16, 'testbed failure: unexpected eof from the testbed', '', 'testbed'],
  [16, 'testbed failure: unexpected eof from the testbed', BEGUN, undefined],
  [16, 'testbed failure: unexpected eof from the testbed', NEXT, 'testbed'],
  [16, 'OSError: [Errno 28] No space left on device', BEGUN, 'machine'],
  [16, COPY_FAILED, ENDED, undefined],
  [16, COPY_FAILED, `${ENDED}tar: f: Cannot write: No space left on device\n`, 'machine'],
  [16, 'testbed failure: testbed auxverb failed with exit code 255', FETCH_ERROR, 'testbed'],
  [16, 'tar: ./usr/bin: Cannot mkdir: No space left on device', '', 'machine'],
  [20, 'OSError: [Errno 12] Cannot allocate memory', FETCH_ERROR, 'machine'],
  [127, 'sh: 1: autopkgtest: not found', '', 'machine'],
  [137, '', '', 'machine'],
  [20, 'quitting: unexpected error, see log', '', undefined],
  [143, '', '', undefined],
  [null, '', '', undefined],
])('the probable cause of a tmpfail is found from code %p and %p', (exitCode, message, log, trouble) => {
  expect(troubleOf({ exitCode, message, log })).toBe(trouble);
});

it('the probable cause of a tmpfail is found at once in the longest log', () => {
  const log = 'could not '.repeat(100_000);
  expect(troubleOf({ exitCode: 20, message: 'apt-get', log })).toBeUndefined();
});
