// Compiles apps and libs to dist with SWC (types are checked by `npm run typecheck`); with `--if-older` only where a source is
// newer.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { isBuilt, markAsBuilt } from './built.mjs';
import { buildClient } from './client.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const startedAt = new Date();
if (process.argv.includes('--if-older') && isBuilt()) process.exit(0);
rmSync(`${root}/dist`, { recursive: true, force: true });
const swc = spawnSync(
  process.execPath,
  [`${root}/node_modules/@swc/cli/bin/swc.js`, 'apps', 'libs', '-d', 'dist', '--copy-files', '--quiet'],
  { cwd: root, stdio: 'inherit' },
);
if (swc.status !== 0) process.exit(swc.status ?? 1);

await buildClient('dist');

// Each start of the api would take half a second for the YAML that people write.
const document = `${root}/dist/apps/api/src/document/openapi`;
writeFileSync(`${document}.json`, JSON.stringify(parse(readFileSync(`${document}.yaml`, 'utf8'))));
rmSync(`${document}.yaml`);
markAsBuilt(startedAt);
