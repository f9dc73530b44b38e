// `npm run rehearse -- [--only PART] [--without PART]` and `npm run test:skew`: builds the product, its rehearsal and the release
// before, then brings up whole deployments on this machine. As root the workers get networks of their own.
import { spawn, spawnSync } from 'node:child_process';
import { ensureBuilt, root } from './built.mjs';

const out = '.cache/rehearsal';
ensureBuilt();
const swc = `${root}/node_modules/@swc/cli/bin/swc.js`;
const compiled = spawnSync(process.execPath, [swc, 'libs', 'test', '-d', out, '--copy-files', '--quiet'], {
  cwd: root,
  stdio: 'inherit',
});
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
const child = spawn(process.execPath, [`${root}/${out}/test/rehearsal/main.js`, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
// Ctrl-C reaches both; a signal to this one alone is handed on.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
