// Compiles apps and libs to dist with SWC (types are checked by `npm run typecheck`).
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
const swc = spawnSync(
  process.execPath,
  [`${root}/node_modules/@swc/cli/bin/swc.js`, 'apps', 'libs', '-d', 'dist', '--copy-files', '--quiet'],
  { cwd: root, stdio: 'inherit' },
);
process.exit(swc.status ?? 1);
