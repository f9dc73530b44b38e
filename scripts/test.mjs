// `npm test [-- JEST ARGUMENTS]`: first makes sure that what the tests need is there, then runs them and counts. With `--quick`:
// see test-quick.mjs.
import { spawn } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, root } from './built.mjs';
import { testQuickly } from './test-quick.mjs';

const args = process.argv.slice(2);
ensureBuilt();
if (args.includes('--quick')) process.exit(testQuickly(args.filter((arg) => arg !== '--quick')));
const embedded = createRequire(import.meta.url)('../dist/libs/embedded/src/index.js');

const folder = mkdtempSync(join(tmpdir(), 'proctor-test-'));
chmodSync(folder, 0o711);
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main() {
  const natsServer = await prepare();
  if (natsServer === null) return 1;
  const resultFile = join(folder, 'result.json');
  // Many of the long tests wait for other processes most of their time, some never do: four at a time keep processors busy.
  const workers = Math.max(4, availableParallelism() - 1);
  const options = [
    '--json',
    `--outputFile=${resultFile}`,
    `--maxWorkers=${workers}`,
    // jest keeps something of each test file: after a hundred of them the simulation takes twice the time, and more after more.
    '--workerIdleMemoryLimit=400MB',
  ];
  const code = await jest([...options, ...args], { ...process.env, PROCTOR_TEST_NATS_SERVER: natsServer });
  const { passed, failed } = count(resultFile);
  console.log(`${passed} passed, ${failed} failed`);
  return code === 0 && failed === 0 ? 0 : 1;
}

/** @returns the path of nats-server; null after saying what to type when something is missing that we may not install */
async function prepare() {
  const outcome = await embedded.installDebianPackages(
    [...embedded.WORKER_PACKAGES, 'openssl', 'chromium'],
    (missing) => console.log(`installing Debian packages: ${missing.join(' ')}`),
  );
  if (outcome.advice) {
    console.error(`the tests cannot run: ${outcome.advice}`);
    return null;
  }
  const backends = await embedded.installDebianPackages(embedded.BACKEND_PACKAGES, (missing) =>
    console.log(`installing Debian packages: ${missing.join(' ')}`),
  );
  if (backends.advice) console.log(`of some backends only the refusal is tested: ${backends.advice}`);
  if (!mayOpenTun()) {
    console.error('the tests cannot run: this user may not open /dev/net/tun: sudo chmod 0666 /dev/net/tun');
    return null;
  }
  try {
    // It is kept where `npm start` keeps it: nothing is fetched twice.
    const home = await embedded.Home.findHome(process.env, root);
    return (await embedded.findNatsServer(home.natsPackage, console.log)).path;
  } catch (error) {
    if (!(error instanceof embedded.NatsServerMissing)) throw error;
    console.error(`the tests cannot run: ${error.message}`);
    return null;
  }
}

/** A run's private network is a tun device; Debian lets everybody open it, a bare container may not. */
function mayOpenTun() {
  if (process.getuid() === 0) return true;
  try {
    accessSync('/dev/net/tun', constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function jest(jestArgs, env) {
  const bin = join(root, 'node_modules/jest/bin/jest.js');
  const child = spawn(process.execPath, [bin, ...jestArgs], { cwd: root, env, stdio: 'inherit' });
  // A terminal sends Ctrl-C to jest too. Only jest ends then, and this process counts the results so far.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** A test file that could not even be loaded counts as one failure. */
function count(resultFile) {
  let result;
  try {
    result = JSON.parse(readFileSync(resultFile, 'utf8'));
  } catch (error) {
    console.error(`jest left no result: ${error.message}`);
    return { passed: 0, failed: 1 };
  }
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
  };
}
