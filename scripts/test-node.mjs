// `npm run test:node [-- --node=LINE… JEST ARGUMENTS]`: what engines of package.json promises, on the newest Node of each line, or of
// those that are named. The programs come from npm, outside the lock, and are kept in .cache. On each: `npm ci` without a warning, the
// build, and tests; without arguments those of SUITES.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { root } from './built.mjs';

const LINES = ['20', '22', '24'];
const SUITES = ['libs', 'apps', 'test/unit', 'test/contract', 'test/end-to-end'];
/** The files from which npm knows which packages to install. */
const MANIFEST = ['package.json', 'package-lock.json', '.npmrc'];

const npm = process.env.npm_execpath;
if (!npm) {
  console.error('this needs to know where npm is: npm run test:node');
  process.exit(2);
}
const [named, jestArguments] = [true, false].map((isLine) =>
  process.argv.slice(2).filter((argument) => argument.startsWith('--node=') === isLine),
);
const lines = named.length > 0 ? named.map((argument) => argument.slice('--node='.length)) : LINES;
const unknown = lines.find((line) => !LINES.includes(line));
if (unknown !== undefined) {
  console.error(`--node=${unknown}: it must be one of ${LINES.join(', ')}`);
  process.exit(2);
}
const suites = jestArguments.length > 0 ? jestArguments : SUITES;
const failed = lines.flatMap((line) => {
  const node = fetched(line);
  console.log(`\n== Node ${run(node, ['--version']).stdout.trim()}`);
  const broken = brokenOn(node);
  if (broken !== null) console.error(`${broken} failed`);
  return broken === null ? [] : [`Node ${line}: ${broken}`];
});
console.log(failed.length === 0 ? `\nall of it holds on Node ${lines.join(', ')}` : `\n${failed.join('\n')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** @returns the path of the newest program of a line */
function fetched(line) {
  const name = `node-linux-${process.arch}`;
  const folder = join(root, '.cache', `node-${line}`);
  const node = join(folder, 'node_modules', name, 'bin/node');
  if (!existsSync(node)) console.log(`fetching ${name}@${line}`);
  const { status } = run(process.execPath, [
    npm,
    'install',
    '--prefix',
    folder,
    '--no-save',
    `${name}@${line}`,
  ]);
  if (status !== 0 && !existsSync(node)) throw new Error(`npm could not fetch ${name}@${line}`);
  return node;
}

/** @returns what failed first; null when all is well */
function brokenOn(node) {
  // Programs that tests start also find this Node.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  if (!installsSilently(node, env)) return 'npm ci';
  if (run(node, ['scripts/build.mjs'], { env, stdio: 'inherit' }).status !== 0) return 'the build';
  const tests = run(node, ['scripts/test.mjs', ...suites], { env, stdio: 'inherit' });
  return tests.status === 0 ? null : 'a test';
}

function installsSilently(node, env) {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-install-'));
  try {
    for (const name of MANIFEST) cpSync(join(root, name), join(folder, name));
    // Settings of the user may bring warnings of their own, and `npm run` hands them on.
    const kept = Object.entries(env).filter(([name]) => !/^npm_/i.test(name));
    const own = { ...Object.fromEntries(kept), npm_config_userconfig: join(folder, 'no-npmrc') };
    const { status, stderr } = run(node, [npm, 'ci', '--prefer-offline'], { cwd: folder, env: own });
    process.stderr.write(stderr);
    return status === 0 && !/\bwarn\b/i.test(stderr);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program, args, options = {}) {
  return spawnSync(program, args, { cwd: root, encoding: 'utf8', ...options });
}
