// `npm run pictures`: compiles the product, generates a deployment, and photographs its pages into docs/images. With
// `-- FOLDER NAME` it takes one picture of them: `npm run pictures -- docs/images package`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildClient } from './client.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = '.cache/pictures';
run(`${root}/node_modules/@swc/cli/bin/swc.js`, 'apps', 'libs', 'test', '-d', out, '--copy-files', '--quiet');
await buildClient(out);
const isOne = process.argv.length > 3;
const programs =
  process.argv[2] === 'monitoring' ? ['monitoring'] : isOne ? ['main'] : ['main', 'monitoring'];
const folder = process.argv.slice(process.argv[2] === 'monitoring' ? 3 : 2);
for (const program of programs) run(`${root}/${out}/test/pictures/${program}.js`, ...folder);

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
