// `npm run conformance -- --base URL --key KEY`: compiles the conformance suite and runs it against any instance.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = '.cache/conformance';
run(`${root}/node_modules/@swc/cli/bin/swc.js`, 'test/conformance', '-d', out, '--quiet');
run(`${root}/${out}/test/conformance/main.js`, ...process.argv.slice(2));

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
