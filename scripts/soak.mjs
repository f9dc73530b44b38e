// `npm run soak -- [--minutes 10] [--rate 200] [--fault-every 5] [--seed 1] [--faults killed-api,…] [--stub 1]
// [--keep]`: compiles the product and its soak test, then keeps a whole deployment busy while its parts are killed,
// frozen, cut off and starved, and counts the outcome of every run. --stub: percent of runs that a whole worker
// executes as processes; --keep: keeps the logs of all parts, as after a violation.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildClient } from './client.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = '.cache/soak';
// A disk that is full is a small file system: as root the soak has mounts of its own, which end with it.
const ownMounts = ['unshare', '--mount', '--propagation', 'private'];
const mayMount =
  process.getuid() === 0 && spawnSync(ownMounts[0], [...ownMounts.slice(1), 'true']).status === 0;
run(`${root}/node_modules/@swc/cli/bin/swc.js`, 'apps', 'libs', 'test', '-d', out, '--copy-files', '--quiet');
await buildClient(out);
run(`${root}/${out}/test/soak/main.js`, ...process.argv.slice(2));

function run(script, ...args) {
  const [program, ...rest] = [...(mayMount ? ownMounts : []), process.execPath, script, ...args];
  const env = { ...process.env, PROCTOR_SOAK_OWN_MOUNTS: mayMount ? '1' : '0' };
  const { status } = spawnSync(program, rest, { cwd: root, stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
