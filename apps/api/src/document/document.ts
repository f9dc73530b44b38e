import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemasIn } from '@proctor/resources';
import { parse } from 'yaml';
import type { ApiDocument } from './api-document';
import { describedPaths } from './operations';

/** What the document says of no single endpoint. */
type Written = Omit<ApiDocument, 'paths' | 'components'> & {
  components: Record<string, Record<string, unknown>>;
};

/**
 * The description of the API: what `openapi.yaml` says of the whole, and what controllers and resources say of themselves. Only
 * controllers that are loaded are in it.
 */
export function apiDocument(): ApiDocument {
  const handwritten = readWritten();
  const paths = describedPaths();
  const schemas = Object.fromEntries(schemasIn([paths, handwritten.components]));
  return { ...handwritten, paths, components: { ...handwritten.components, schemas } };
}

/** The build makes JSON of the YAML, which is read a hundred times faster; sources that were not built have the YAML alone. */
function readWritten(): Written {
  const built = join(__dirname, 'openapi.json');
  if (existsSync(built)) return JSON.parse(readFileSync(built, 'utf8')) as Written;
  return parse(readFileSync(join(__dirname, 'openapi.yaml'), 'utf8')) as Written;
}
