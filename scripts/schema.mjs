// Writes the JSON Schemas of the configuration's files to docs/schema, as `proctor config schema` prints them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { ensureBuilt, root } from './built.mjs';

ensureBuilt();
mkdirSync(`${root}/docs/schema`, { recursive: true });
for (const name of ['proctor', 'worker', 'apt-sources', 'reject-list']) {
  const main = `${root}/dist/apps/cli/src/main.js`;
  const schema = execFileSync(process.execPath, [main, 'config', 'schema', `${name}.yaml`]);
  writeFileSync(`${root}/docs/schema/${name}.schema.json`, schema);
}
