import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const project = join(__dirname, '../..');

/** The variables of the environment that the programs read. */
export function knownVariables(): Set<string> {
  const sources = ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
      .map((path) => readFileSync(join(project, folder, path), 'utf8')),
  );
  // Streams of NATS are called so too; no program reads those from the environment.
  const quoted = sources.flatMap((text) => [...text.matchAll(/['[. ](PROCTOR_[A-Z0-9_]+)['\]:,;)]/g)]);
  return new Set(quoted.map(([, name]) => name!));
}
