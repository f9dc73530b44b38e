import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemasIn } from '@proctor/resources';
import { parse } from 'yaml';
import type { ApiDocument } from './api-document';
import { describedPaths } from './operations';

/** The part of the document that belongs to no single endpoint. */
type Written = Omit<ApiDocument, 'paths' | 'components'> & {
  components: Record<string, Record<string, unknown>>;
};

/** The description of the API, from `openapi.yaml` and from the loaded controllers and resources. */
export function apiDocument(): ApiDocument {
  const handwritten = readWritten();
  const paths = describedPaths();
  const schemas = Object.fromEntries(schemasIn([paths, handwritten.components]));
  return { ...handwritten, paths, components: { ...handwritten.components, schemas } };
}

/**
 * The build converts the YAML to JSON, which is a hundred times faster to read. Without a build there is only the
 * YAML.
 */
function readWritten(): Written {
  const built = join(__dirname, 'openapi.json');
  if (existsSync(built)) return JSON.parse(readFileSync(built, 'utf8')) as Written;
  return parse(readFileSync(join(__dirname, 'openapi.yaml'), 'utf8')) as Written;
}
