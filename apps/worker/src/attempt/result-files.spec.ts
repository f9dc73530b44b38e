import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseLogIndex } from '@proctor/result-files';
import { packArtifacts } from '../autopkgtest/pack-artifacts';
import type { RunFolder } from '../sandbox/run-folder';
import { packResult } from './result-files';

jest.mock('../autopkgtest/pack-artifacts', () => {
  const real = jest.requireActual<{ packArtifacts: typeof packArtifacts }>('../autopkgtest/pack-artifacts');
  return { packArtifacts: jest.fn(real.packArtifacts) };
});

const LIMITS = {
  logHeadBytesMax: 1000,
  logTailBytesMax: 100,
  artifactsBytesMax: 1000,
  errorPatterns: [],
  ranSeconds: 5,
};
const NAMES = ['log.gz', 'artifacts.tar.gz', 'log-index.json', 'artifacts-index.json'];
const never = new AbortController().signal;

let path: string;
let folder: RunFolder;
let target: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'result-files-'));
  folder = { output: join(path, 'out'), errors: join(path, 'errors') } as RunFolder;
  target = join(path, 'results', '7-2.new');
  await mkdir(folder.output);
  await writeFile(folder.errors, 'no such option\n');
});
afterEach(async () => rm(path, { recursive: true }));

it('log, artifacts and the indexes of both are packed, in place of what was there', async () => {
  await mkdir(target, { recursive: true });
  await writeFile(join(target, 'old'), 'of an earlier attempt');
  const { files } = await packResult(folder, target, LIMITS, never);
  expect(files.map(({ name }) => name)).toEqual(NAMES);
  expect((await readdir(target)).sort()).toEqual([...NAMES].sort());
});

it('a packed result is for the worker alone to read', async () => {
  const { files } = await packResult(folder, target, LIMITS, never);
  const paths = [target, ...files.map((file) => file.path)];
  const modes = await Promise.all(paths.map(async (each) => (await stat(each)).mode & 0o777));
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
});

it('a result is packed when the runner has taken its folder away', async () => {
  await rm(folder.output, { recursive: true });
  const { files } = await packResult(folder, target, LIMITS, never);
  expect(files.map(({ name }) => name)).toEqual(NAMES);
});

it.each([
  ['when it is stopped', 'out', AbortSignal.abort(new Error('enough')), 'enough'],
  ['when something cannot be packed', 'errors', never, 'EEXIST'],
])('packing leaves nothing behind %s', async (_when, output, signal, problem) => {
  const packed = packResult({ ...folder, output: join(path, output) } as RunFolder, target, LIMITS, signal);
  await expect(packed).rejects.toThrow(problem);
  expect(await readdir(join(path, 'results'))).toEqual([]);
});

it('a log is packed without the artifacts when those cannot be', async () => {
  jest.mocked(packArtifacts).mockRejectedValueOnce(new Error('no space left on device'));
  const { files, lossReason } = await packResult(folder, target, LIMITS, never);
  expect(files.map(({ name }) => name)).toEqual(['log.gz', 'log-index.json']);
  expect(lossReason).toBe('Error: no space left on device');
});

it('a clock that is set while the runner works gives no part of the log a time that the run did not have', async () => {
  const lines = [
    'autopkgtest [10:59:58]: starting date and time: 2026-11-20 10:59:58+0000',
    'autopkgtest [11:00:00]: test unit: [-----------------------',
    'autopkgtest [10:00:03]: test unit: -----------------------]',
  ];
  await writeFile(join(folder.output, 'log'), `${lines.join('\n')}\n`);
  const { files } = await packResult(folder, target, LIMITS, never);
  const index = files.find(({ name }) => name === 'log-index.json')!;
  const { sections } = parseLogIndex(await readFile(index.path, 'utf8'))!;
  expect(sections.map(({ kind, seconds }) => [kind, seconds])).toEqual([
    ['start', null],
    ['test', null],
  ]);
});
