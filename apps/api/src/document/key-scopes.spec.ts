import type { KeyScope } from '@proctor/contracts';
import '../api.module';
import { apiDocument } from './document';
import { METHODS } from './api-document';
import { publicReadOf } from '../http/public-reads';
import { neededScope, suffices } from '../auth/key-scopes';

const document = apiDocument();

interface Route {
  method: string;
  path: string;
  /** What the document says; null: no key is asked for. */
  scopeInDocument: string | null;
  description: string;
}

const routes = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.flatMap((method): [string, Route][] => {
    const operation = item[method];
    if (!operation) return [];
    const [first] = operation.security ?? document.security;
    const byMethod = method === 'get' ? 'read' : 'everything';
    const scopeInDocument = first && 'key' in first ? (first['key'][0] ?? byMethod) : null;
    const { description = '' } = operation;
    const name = `${method.toUpperCase()} ${path}`;
    return [[name, { method: method.toUpperCase(), path, scopeInDocument, description }]];
  }),
);

/** A path as a client requests it. */
const examplePath = (path: string): string => path.replace(/\{run_id\}/g, '12').replace(/\{\w+\}/g, 'x1');

const withKey = routes.filter(([, { scopeInDocument }]) => scopeInDocument !== null);

it.each(withKey)(
  '%s needs the scope that the document states',
  (_name, { method, path, scopeInDocument }) => {
    for (const end of ['', '/']) expect(neededScope(method, examplePath(path) + end)).toBe(scopeInDocument);
    if (method === 'GET') expect(neededScope('HEAD', examplePath(path))).toBe(scopeInDocument);
  },
);

it('the routes of the API need these scopes', () => {
  const needing = (scope: string): string[] =>
    withKey.filter(([, { scopeInDocument }]) => scopeInDocument === scope).map(([name]) => name);
  expect(needing('any')).toEqual(['GET /api/v1/auth']);
  expect(needing('submit')).toEqual([
    'POST /api/v1/retry/{run_id}',
    'POST /api/v1/test/batch',
    'POST /api/v1/test/{suite}/{arch}',
    'POST /api/v1/test/{suite}/{arch}/{package}',
  ]);
  expect(needing('read').length).toBeGreaterThan(20);
  expect(needing('read').filter((name) => !name.startsWith('GET '))).toEqual([]);
  expect(needing('everything').filter((name) => !/^(POST|DELETE) /.test(name))).toEqual([]);
  expect(needing('everything').length).toBeGreaterThan(20);
});

it.each<[KeyScope, Record<string, boolean>]>([
  ['everything', { any: true, read: true, submit: true, everything: true }],
  ['read', { any: true, read: true, submit: false, everything: false }],
  ['submit', { any: true, read: false, submit: true, everything: false }],
])('a key of the scope %s is good for %j', (scope, expected) => {
  for (const [needed, isEnough] of Object.entries(expected))
    expect([needed, suffices(scope, needed as KeyScope | 'any')]).toEqual([needed, isEnough]);
});

it.each(['PUT', 'PATCH', 'OPTIONS', 'DELETE'])('%s of a submission takes a key for everything', (method) => {
  expect(neededScope(method, '/api/v1/test/sid/amd64')).toBe('everything');
});

it.each(routes.filter(([, { path }]) => path.startsWith('/api/v1/')))(
  '%s says whether everybody may read it, and where',
  (_name, { method, path, description }) => {
    const elsewhere = path.replace('/api/v1/', '/data/v1/');
    const isPublic = method === 'GET' && publicReadOf(examplePath(elsewhere)) === examplePath(path);
    expect(description.includes(`\`${elsewhere}\``)).toBe(isPublic);
  },
);

it.each([
  '/data/v1/auth',
  '/data/v1/test',
  '/data/v1/runs',
  '/data/v1/admin/users',
  '/data/v1/keys',
  '/api/v1/queues',
])('%s is no public read', (path) => {
  expect(publicReadOf(path)).toBeNull();
});
