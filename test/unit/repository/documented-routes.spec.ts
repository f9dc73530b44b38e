import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const project = join(__dirname, '../../..');
const textOf = (path: string): string => readFileSync(join(project, path), 'utf8');

/** What people read and copy from; docs/moving-in.md also names addresses of debci. */
const PAGES = [
  'README.md',
  ...readdirSync(join(project, 'docs')).flatMap((name) =>
    name.endsWith('.md') && name !== 'moving-in.md' ? `docs/${name}` : [],
  ),
  ...readdirSync(join(project, 'config'), { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('.yaml') ? `config/${name}` : [],
  ),
];

const ROUTE = /\b(GET|POST|PUT|PATCH|DELETE) (\/api\/v1\/[\w/{}:.-]*[\w}])/g;

const { paths } = parse(textOf('apps/api/src/http/openapi.yaml')) as { paths: Record<string, object> };
const routes = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), pattern: patternOf(path) })),
);

/** Of addresses whose variable parts are named in whatever way. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

it('the documents and examples name routes that the api has', () => {
  const named = PAGES.flatMap((page) =>
    [...textOf(page).matchAll(ROUTE)].map(([, method, path]) => ({ page, method, path: path! })),
  );
  const unknown = named.filter(
    ({ method, path }) => !routes.some((route) => route.method === method && route.pattern.test(path)),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(unknown).toEqual([]);
});
