import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloudResult, cloudTest, verdictOfExit } from './cloud-result';
import { type CsvRow, csvRows } from './csv';
import { exitCodeOf } from './debci-job';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-csv-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function rowsOf(text: string): Promise<CsvRow[]> {
  const path = join(folder, 'x.csv');
  await writeFile(path, text);
  const rows: CsvRow[] = [];
  for await (const part of csvRows(path)) rows.push(...part);
  return rows;
}

it.each<[string, CsvRow[]]>([
  ['a,b\n1,2\n', [row(1, 'a', 'b'), row(2, '1', '2')]],
  ['a,b\r\n1,2', [row(1, 'a', 'b'), row(2, '1', '2')]],
  [',""\n', [row(1, null, '')]],
  ['"a ""b"", c","d\ne"\nf,g\n', [row(1, 'a "b", c', 'd\ne'), row(3, 'f', 'g')]],
  ['a,\n', [row(1, 'a', null)]],
  ['"""",x\n', [row(1, '"', 'x')]],
  ['é,"€"\n', [row(1, 'é', '€')]],
])('the CSV %j is read as %j', async (text, rows) => {
  expect(await rowsOf(text)).toEqual(rows);
});

function row(line: number, ...fields: (string | null)[]): CsvRow {
  return { line, fields };
}

it('a CSV that is cut off within quotes is refused with the line of its beginning', async () => {
  await expect(rowsOf('a\n"b\nc')).rejects.toThrow(/x\.csv:2: a quote is not closed/);
});

it.each([
  ['All tests passed', 0],
  ['Unexpected autopkgtest exit code 20', 20],
  ['something else', null],
  [null, null],
])('the message %j of debci stands for the exit code %j', (message, code) => {
  expect(exitCodeOf(message)).toBe(code);
});

it.each([
  [0, 'pass'],
  [2, 'pass'],
  [4, 'fail'],
  [8, 'neutral'],
  [12, 'fail'],
  [16, 'tmpfail'],
  [20, 'tmpfail'],
])('the exit code %i of autopkgtest is the verdict %s', (code, verdict) => {
  expect(verdictOfExit(code)).toBe(verdict);
});

const TESTS = new Map([cloudTest({ id: 5, release: 'noble', arch: 'amd64', package: 'hello' })]);
const RESULT = {
  test_id: 5,
  run_id: '20260102_030405_ab12c@',
  version: '1.0-1',
  triggers: 'glibc/2.40-1',
  duration: 60,
  exitcode: 4,
  requester: 'ada',
  env: 'all-proposed=1',
};

it('a result of autopkgtest-cloud begins when its run id says', () => {
  expect(cloudResult(RESULT, TESTS)).toMatchObject({
    foreignId: '5/20260102_030405_ab12c@',
    startedAt: new Date('2026-01-02T03:04:05Z'),
    verdict: 'fail',
    test: { suite: 'noble', arch: 'amd64', package: 'hello' },
  });
});

it.each([
  [{ test_id: 6 }, 'test_id 6 is not in test.ndjson'],
  [{ run_id: 'yesterday' }, 'run_id must begin with a time, not "yesterday"'],
  [{ exitcode: 'four' }, 'exitcode must be an exit code, not "four"'],
  [{ duration: -1 }, 'duration must be seconds, not -1'],
])('a result of autopkgtest-cloud with %j is refused', (change, message) => {
  expect(() => cloudResult({ ...RESULT, ...change }, TESTS)).toThrow(message);
});
