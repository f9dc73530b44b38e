// `npm test -- --quick [JEST ARGUMENTS]`: an answer within a minute. It runs the specs that need no server, those nearest to what
// differs from the main branch first, and says which it left out.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { root } from './built.mjs';

const LIMIT_MS = 60_000;
/** The first batch shows how fast this machine is now; each after it has as many specs as fit, by the slowest one so far. */
const FIRST_BATCH = 12;
const BATCH_MAX = 80;
const CAUTION = 1.3;
const JEST = [join(root, 'node_modules/jest/bin/jest.js'), '--config', 'jest.quick.config.cjs'];

/** @returns the exit code */
export function testQuickly(args) {
  const startedAt = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'proctor-quick-'));
  try {
    return runBatches(args, startedAt, join(folder, 'result.json'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runBatches(args, startedAt, resultFile) {
  const left = nearestFirst(listSpecs(args), changedFiles());
  const total = left.length;
  let [passed, failed, msPerSpec] = [0, 0, 0];
  for (let size = FIRST_BATCH; left.length > 0 && size > 0;) {
    const batch = left.splice(0, size);
    const batchAt = Date.now();
    const result = runBatch(batch, args, resultFile);
    passed += result.numPassedTests;
    failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
    msPerSpec = Math.max(msPerSpec, (Date.now() - batchAt) / batch.length);
    const leftMs = LIMIT_MS - (Date.now() - startedAt);
    size = Math.min(BATCH_MAX, Math.floor(leftMs / msPerSpec / CAUTION));
  }
  if (left.length > 0) console.log(`left out, for the minute is over: ${left.length} of ${total} spec files`);
  console.log(
    'left out: all specs that need servers, processes or a browser, and the simulation (npm test runs them)',
  );
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function listSpecs(args) {
  const { stdout, status } = spawnSync(process.execPath, [...JEST, '--listTests', '--json', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`jest lists no specs: exit code ${status}`);
  return JSON.parse(stdout);
}

function runBatch(specs, args, resultFile) {
  const options = ['--json', `--outputFile=${resultFile}`, `--maxWorkers=${availableParallelism()}`];
  rmSync(resultFile, { force: true });
  spawnSync(process.execPath, [...JEST, ...options, ...args, '--runTestsByPath', ...specs], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return JSON.parse(readFileSync(resultFile, 'utf8'));
}

/**
 * Paths, relative to the project's folder, of the files that differ from main, committed or not; on main itself, those
 * of its last commit.
 */
function changedFiles() {
  const base = ['main', 'origin/main'].map((name) => git('merge-base', 'HEAD', name)[0]).find(Boolean);
  const isMain = base === undefined || base === git('rev-parse', 'HEAD')[0];
  const changed = git('diff', '--name-only', base ?? 'HEAD');
  const added = git('ls-files', '--others', '--exclude-standard');
  const last = isMain && changed.length + added.length === 0 ? git('diff', '--name-only', 'HEAD~1') : [];
  return [...changed, ...added, ...last];
}

/** Lines that git answers; none where it does not know. */
function git(...args) {
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return (stdout ?? '').split('\n').filter(Boolean);
}

/** Sorts specs by their distance to the changes; among equal distances the shortest first, so that more of them fit. */
function nearestFirst(specs, changed) {
  const placed = specs.map((path) => {
    const distance = Math.min(...changed.map((file) => distanceOf(relative(root, path), file)), 9);
    return { path, distance, size: statSync(path).size };
  });
  return placed.sort((a, b) => a.distance - b.distance || a.size - b.size).map(({ path }) => path);
}

/** 0: the spec itself or that of the file; 1: in its folder; 2: in its app or library; 9: elsewhere. */
function distanceOf(spec, file) {
  const name = basename(file).replace(/(\.spec)?\.[^.]+$/, '');
  if (dirname(spec) === dirname(file)) return basename(spec).startsWith(`${name}.`) ? 0 : 1;
  const part = (path) => path.split('/').slice(0, 2).join('/');
  return part(spec) === part(file) ? 2 : 9;
}
