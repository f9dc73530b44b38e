// `npm run baseline`: writes libs/database/src/schema/migrations/baseline/tables.sql, which makes the tables of the entities.
// Only until 1.0.0 is released: its schema then stays, and what changes is a migration of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, root } from './built.mjs';

ensureBuilt();
const require = createRequire(import.meta.url);
const built = (path) => require(join(root, 'dist/libs', path));
const { DataSource } = require('typeorm');
const { EmbeddedPostgres } = built('embedded/src/index.js');
const { dataSourceOptions } = built('database/src/kit/data-source.js');
const { DATABASE_LIMITS } = built('database/src/kit/limits.js');
const { entitySchema } = built('database/src/schema/entity-schema.js');

const HEAD = `-- The tables of the entities in libs/database/src/rows, written by \`npm run baseline\`; see baseline.ts.
`;
const folder = mkdtempSync(join(tmpdir(), 'proctor-baseline-'));
// PostgreSQL runs as another user when this is root.
await chmod(folder, 0o711);
const postgres = new EmbeddedPostgres({
  folder: join(folder, 'postgresql'),
  passwordFile: join(folder, 'postgres.password'),
});
try {
  await postgres.start();
  const source = await new DataSource(dataSourceOptions(postgres.url, DATABASE_LIMITS)).initialize();
  const statements = await entitySchema(source);
  await source.destroy();
  const file = join(root, 'libs/database/src/schema/migrations/baseline/tables.sql');
  writeFileSync(file, `${HEAD}\n${statements.map((statement) => `${statement};\n`).join('\n')}`);
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
