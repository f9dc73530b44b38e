import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemasIn } from '@proctor/resources';
import { parse } from 'yaml';
import type { ApiDocument } from './api-document';
import { describedPaths } from './operations';

/**
 * The description of the API: what `openapi.yaml` says of the whole, and what controllers and resources say of themselves. Only
 * controllers that are loaded are in it.
 */
export function apiDocument(): ApiDocument {
  const written = readWritten();
  const described = describedPaths();
  const { paths, components } = written;
  const schemas = Object.fromEntries(schemasIn([described, paths, components], components.schemas));
  return {
    ...written,
    paths: { ...paths, ...withWritten(described, paths) },
    components: { ...components, schemas: { ...components.schemas, ...schemas } },
  };
}

/** Some methods of a path may be described in `openapi.yaml`, and others by their controllers. */
function withWritten(described: ApiDocument['paths'], written: ApiDocument['paths']): ApiDocument['paths'] {
  return Object.fromEntries(
    Object.entries(described).map(([path, item]) => [path, { ...written[path], ...item }]),
  );
}

/** The build makes JSON of the YAML, which is read a hundred times faster; sources that were not built have the YAML alone. */
function readWritten(): ApiDocument {
  const built = join(__dirname, 'openapi.json');
  if (existsSync(built)) return JSON.parse(readFileSync(built, 'utf8')) as ApiDocument;
  return parse(readFileSync(join(__dirname, 'openapi.yaml'), 'utf8')) as ApiDocument;
}
