// `npm run bench`: compiles the product and its bench, then measures pairs of ways in turn and prints their ratios.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = '.cache/bench';
run(`${root}/node_modules/@swc/cli/bin/swc.js`, 'apps', 'libs', 'test', '-d', out, '--copy-files', '--quiet');
run('--expose-gc', `${root}/${out}/test/bench/main.js`, ...process.argv.slice(2));

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
