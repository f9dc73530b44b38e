import { brotliCompressSync } from 'node:zlib';
import { editItems, editJson, editQuery, isJson, setText, textOf, type FaultMaker } from './fault';

/** Faults of keys, errors, HTTP and documentation. */
export function doorFaults(key: string): FaultMaker[] {
  return [
    () => ({
      name: 'Auth-User is missing',
      caughtBy: 'KEY-02',
      reply: (reply) => delete reply.headers['auth-user'],
    }),
    () => ({
      name: 'Auth-User is missing on refusals',
      caughtBy: 'KEY-07',
      reply: (reply) => reply.status >= 400 && delete reply.headers['auth-user'],
    }),
    () => ({
      name: 'a missing key is answered with 401',
      caughtBy: 'KEY-03',
      reply: (reply) => {
        if (reply.status === 403) reply.status = 401;
      },
    }),
    () => ({
      name: 'a retry needs no key',
      caughtBy: 'KEY-03',
      ask: (ask) => {
        if (ask.path.includes('/retry/')) ask.headers['auth-key'] ??= key;
      },
    }),
    () => ({
      name: 'a key in the address counts',
      caughtBy: 'KEY-06',
      ask: (ask) => {
        const queryKey = new URL(ask.path, 'http://service').searchParams.get('Auth-Key');
        if (queryKey) ask.headers['auth-key'] = queryKey;
      },
    }),
    () => ({
      name: 'the body is read before the key is looked at',
      caughtBy: 'KEY-05',
      ask: () => undefined,
    }),
    () => ({
      name: 'the answer to a refused key has a user name',
      caughtBy: 'KEY-09',
      reply: (reply) => void (reply.headers['auth-user'] ??= 'eve'),
    }),
    () => ({
      name: 'an unknown endpoint is reported before the key is checked',
      caughtBy: 'KEY-08',
      reply: (reply, { path }) => {
        if (reply.status === 403 && path.includes('nothing')) reply.status = 404;
      },
    }),
    () => ({
      name: 'the list of keys asks for no authentication by name',
      caughtBy: 'AKM-01',
      reply: (reply) => delete reply.headers['www-authenticate'],
    }),
    () => {
      let secret = '';
      return {
        name: 'the list of keys shows secrets',
        caughtBy: 'AKM-04',
        reply: (reply, { method, path }) => {
          if (!path.includes('/keys')) return;
          editJson<{ key?: string }>(reply, (document) => {
            if (method === 'POST') secret = document.key ?? secret;
            return Array.isArray(document) ? document.map((row: object) => ({ ...row, secret })) : document;
          });
        },
      };
    },
    () => ({
      name: 'a deleted key still opens',
      caughtBy: 'AKM-05',
      reply: (reply, { path }) => {
        if (path.endsWith('/auth')) reply.status = 200;
      },
    }),
    () => ({
      name: 'errors are plain text',
      caughtBy: 'ERR-01',
      reply: (reply) => {
        if (reply.status >= 400) reply.headers['content-type'] = 'text/plain';
      },
    }),
    () => ({
      name: 'errors of a body have no pointers',
      caughtBy: 'ERR-02',
      reply: (reply) =>
        editJson<{ errors?: unknown }>(reply, (document) => ({ ...document, errors: undefined })),
    }),
    () => ({
      name: 'the detail says nothing',
      caughtBy: 'ERR-03',
      reply: (reply) => {
        if (reply.status === 400)
          editJson<object>(reply, (document) => ({ ...document, detail: 'Bad request.' }));
      },
    }),
    () => ({
      name: "another user's private run is forbidden instead of not found",
      caughtBy: 'ERR-05',
      reply: (reply, { path }) => {
        if (reply.status !== 404 || path.includes('999999999')) return;
        reply.status = 403;
        editJson<object>(reply, (document) => ({ ...document, status: 403 }));
      },
    }),
    () => ({
      name: 'Allow is missing',
      caughtBy: 'ERR-06',
      reply: (reply) => delete reply.headers.allow,
    }),
    () => ({
      name: 'of a list with a bad item the others are accepted',
      caughtBy: 'ERR-12',
      ask: (ask) => editItems(ask, (items) => items.filter((item) => typeof item.trigger !== 'number')),
    }),
    () => ({
      name: 'an error shows the stack',
      caughtBy: 'ERR-13',
      reply: (reply) => {
        if (reply.status >= 400) setText(reply, `${textOf(reply)}\n    at handle (/srv/dist/main.js:10:5)`);
      },
    }),
    () => ({
      name: 'bad JSON is an internal error',
      caughtBy: 'ERR-11',
      reply: (reply) => {
        if (reply.status === 400) reply.status = 500;
      },
    }),
    () => ({
      name: 'a body of any length is read before it is refused',
      caughtBy: 'ERR-07',
      ask: () => undefined,
    }),
    () => ({
      name: 'a parameter given twice counts once',
      caughtBy: 'ERR-10',
      ask: (ask) => editQuery(ask, (query) => [...query].forEach(([name, value]) => query.set(name, value))),
    }),
    () => ({
      name: 'doubled slashes are not found',
      caughtBy: 'PTH-01',
      reply: (reply, { path }) => {
        if (path.includes('//')) reply.status = 404;
      },
    }),
    () => ({
      name: 'a trailing slash is not found',
      caughtBy: 'PTH-02',
      reply: (reply, { path }) => {
        if (/\/(\?|$)/.test(path)) reply.status = 404;
      },
    }),
    () => ({
      name: 'HEAD is not allowed',
      caughtBy: 'HTT-01',
      reply: (reply, { method }) => {
        if (method === 'HEAD') reply.status = 405;
      },
    }),
    () => ({ name: 'ETag is missing', caughtBy: 'HTT-02', reply: (reply) => delete reply.headers.etag }),
    () => ({
      name: 'an ETag that comes back is ignored',
      caughtBy: 'HTT-02',
      ask: (ask) => delete ask.headers['if-none-match'],
    }),
    () => ({
      name: 'nothing is compressed',
      caughtBy: 'HTT-03',
      ask: (ask) => delete ask.headers['accept-encoding'],
    }),
    () => ({
      name: 'brotli is used where it is accepted',
      caughtBy: 'HTT-03',
      reply: (reply, { headers }) => {
        if (!headers['accept-encoding']?.includes('br') || !isJson(reply)) return;
        reply.body = brotliCompressSync(textOf(reply));
        reply.headers['content-encoding'] = 'br';
      },
    }),
    () => ({
      name: 'the product advertises itself',
      caughtBy: 'HTT-04',
      reply: (reply) => void (reply.headers['x-powered-by'] = 'Express'),
    }),
    () => ({
      name: 'the OpenAPI document lacks an endpoint',
      caughtBy: 'DOC-01',
      reply: (reply) =>
        editJson<{ paths?: object }>(reply, ({ paths, ...rest }) => {
          const otherPaths = Object.entries(paths ?? {}).filter(([path]) => !path.includes('publish'));
          return { ...rest, paths: Object.fromEntries(otherPaths) };
        }),
    }),
  ];
}
