import fc from 'fast-check';
import { content, packageName, parameters, weird, type Known } from './contents';

export interface FuzzedRequest {
  method: string;
  path: string;
  headers: [string, string][];
  body: Buffer;
  isChunked: boolean;
}

/** Escapes that no text has. */
const brokenEscape = fc.constantFrom(
  '%',
  '%ff',
  '%zz',
  '%c0%af',
  '%2e%2e',
  '%00',
  '%2f',
  '%u0041',
  '%ed%a0%80',
);

function segment(names: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: names.map(encodeURIComponent) },
    { weight: 2, arbitrary: weird.map((text) => encodeURIComponent(text.toWellFormed())) },
    { weight: 1, arbitrary: brokenEscape },
  );
}

function segmentOf(name: string, targets: Known): fc.Arbitrary<string> {
  const runId = fc.constantFrom(...targets.runIds.map(String), '999999999', '0');
  const values: Record<string, fc.Arbitrary<string>> = {
    suite: fc.constant(targets.suite),
    arch: fc.constant(targets.arch),
    package: packageName,
    prefix: fc.constantFrom('h', 'libf', 'l'),
    run_id: runId,
    id: fc.constantFrom(...targets.keyIds.map(String), '999999999'),
  };
  return segment(values[name] ?? fc.constant('x'));
}

const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 40,
});

function extraHeaders(): fc.Arbitrary<[string, string][]> {
  const names = [
    'Accept',
    'Accept-Encoding',
    'Content-Encoding',
    'If-None-Match',
    'If-Modified-Since',
    'Range',
    'Authorization',
    'Cookie',
    'X-Forwarded-For',
    'Host',
    'Idempotency-Key',
    'X-HTTP-Method-Override',
    'Accept-Language',
    'Auth-User',
    'Content-Disposition',
  ];
  const value = fc.oneof(
    headerText,
    fc.constantFrom(
      '*',
      '*/*',
      'text/html',
      'gzip',
      'gzip;q=0',
      'bytes=0-',
      'bytes=5-1',
      'bytes=0-0,2-3',
      'W/"x"',
      'Basic eA==',
      'identity',
      'a'.repeat(3000),
    ),
  );
  const some = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), value), {
    maxLength: 3,
    selector: ([name]) => name,
  });
  return fc.oneof(fc.constant<[string, string][]>([]), some);
}

function query(): fc.Arbitrary<string> {
  const seconds = fc.constantFrom('0', '1.5', '1795000000', 'abc');
  const pair = fc.oneof(
    fc.tuple(fc.constantFrom('since'), seconds),
    fc.tuple(fc.constantFrom(...parameters.filter((name) => name !== 'wait')), weird),
  );
  const pairs = fc.array(pair, { maxLength: 3 }).map((list) => {
    const text = list.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&');
    return text && `?${text}`;
  });
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant('') },
    { weight: 5, arbitrary: pairs },
    brokenEscape.map((text) => `?since=${text}`),
    fc.constantFrom('?', '?&&=', '?a[b]=c&a=d', '?since[]=1'),
  );
}

/** @param routes as `GET /api/v1/test/{run_id}` */
export function fuzzedRequest(routes: string[], targets: Known): fc.Arbitrary<FuzzedRequest> {
  const route = fc.constantFrom(...routes).chain((text) => {
    const [method, template] = text.split(' ') as [string, string];
    const segments = template.split('/').map((part) => {
      const [, name, ending] = /^\{(.*)\}(.*)$/.exec(part) ?? [];
      if (name === undefined) return fc.constant(part);
      return segmentOf(name, targets).map((text) => text + ending);
    });
    const methods = fc.oneof(
      { weight: 6, arbitrary: fc.constant(method) },
      fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'),
    );
    return fc.record({ method: methods, path: fc.tuple(...segments).map((parts) => parts.join('/')) });
  });
  const key = fc.oneof({ weight: 9, arbitrary: fc.constant(targets.key) }, headerText);
  return fc
    .record({
      route,
      query: query(),
      content: content(targets),
      key,
      extra: extraHeaders(),
      isChunked: fc.boolean(),
      noBody: fc.boolean(),
    })
    .map(
      ({
        route: { method, path },
        query: search,
        content: fuzzedContent,
        key: authKey,
        extra,
        isChunked,
        noBody,
      }) => {
        const body = noBody || method === 'TRACE' ? Buffer.alloc(0) : fuzzedContent.body;
        const own: [string, string][] = [['Auth-Key', authKey]];
        if (path.includes('/keys'))
          own.push(['Authorization', `Basic ${Buffer.from(targets.credentials).toString('base64')}`]);
        if (body.length > 0) own.push(['Content-Type', fuzzedContent.type]);
        const names = new Set(own.map(([name]) => name));
        return {
          method,
          path: path + search,
          headers: [...own, ...extra.filter(([name]) => !names.has(name))],
          body,
          isChunked,
        };
      },
    );
}

/** As bytes on the wire; the connection is to be closed after the answer. */
export function bytesOf({ method, path, headers, body, isChunked }: FuzzedRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const host = headers.some(([name]) => name === 'Host') ? '' : 'Host: fuzz\r\n';
  const hasBody = body.length > 0;
  const length = !hasBody
    ? ''
    : isChunked
      ? 'Transfer-Encoding: chunked\r\n'
      : `Content-Length: ${body.length}\r\n`;
  const head = Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${host}Connection: close\r\n${length}${lines}\r\n`,
    'latin1',
  );
  if (!hasBody || !isChunked) return Buffer.concat([head, body]);
  const size = Buffer.from(`${body.length.toString(16)}\r\n`);
  return Buffer.concat([head, size, body, Buffer.from('\r\n0\r\n\r\n')]);
}
