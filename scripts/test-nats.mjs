// `npm run test:nats [-- JEST ARGUMENTS]`: runs the contract of the bus on every nats-server that Proctor supports and
// Debian has. Each is downloaded once, as Debian's signed package, and stored next to the one of `npm start`.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ensureBuilt, root } from './built.mjs';

const RELEASES = ['bookworm', 'trixie'];
const CONTRACT = [
  'nats',
  'nats-restart',
  'staging',
  'stream-limits',
  'admission',
  'hostile-worker',
  'shared-stream',
  'tls',
].map((name) => `test/contract/bus/${name}.spec.ts`);

ensureBuilt();
const embedded = createRequire(import.meta.url)('../dist/libs/embedded/src/index.js');
const home = await embedded.Home.findHome(process.env, root);

const failed = [];
for (const release of [...RELEASES, embedded.NATS_RELEASE]) {
  const folder = `${home.natsPackage}-${release}`;
  if (!existsSync(folder)) {
    console.log(`fetching nats-server of Debian's ${release}`);
    await embedded.unpackFromRelease('nats-server', release, folder);
  }
  console.log(`\n== nats-server of Debian's ${release}`);
  const args = [join(root, 'scripts/test.mjs'), ...CONTRACT, ...process.argv.slice(2)];
  const env = { ...process.env, PROCTOR_NATS_SERVER: join(folder, 'usr/sbin/nats-server') };
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) failed.push(release);
}
console.log(failed.length === 0 ? '\nthe contract holds on all' : `\nfailed on: ${failed.join(' ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
