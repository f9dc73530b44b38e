// `npm run rehearse:import [-- JOBS]`: generates the export of a debci with so many jobs, a million unless said, imports it into a
// PostgreSQL of its own, kills that after a third, resumes it, imports it again, and prints the times and sizes. docs/moving-in.md has the figures.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = '.cache/rehearse-import';
run(`${root}/node_modules/@swc/cli/bin/swc.js`, 'apps', 'libs', 'test', '-d', out, '--copy-files', '--quiet');
run(`${root}/${out}/test/moving-in/main.js`, ...process.argv.slice(2));

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
