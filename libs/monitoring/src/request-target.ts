import type { IncomingMessage } from 'node:http';

/** A whole address: `http://user@host:80/path?query`. By RFC 9112, section 3.2.2, every server must accept one. */
const ABSOLUTE_FORM = /^https?:\/\/(?:[^/?#@]*@)?([^/?#@]+)((?:[/?#].*)?)$/i;

const HOST = /^(\[[\da-f:.]+\]|[\w.~%!$&'()*+,;=-]+)(:\d{0,5})?$/i;

const UNUSABLE_TARGET =
  'The target of a request must be a path or an address that begins with http:// or https://.';
const SEVERAL_HOSTS = 'A request may have one header Host only.';
const UNUSABLE_HOST = 'The header Host must be a name or an address, with or without a port.';

type Target = Pick<IncomingMessage, 'url' | 'method' | 'headers' | 'rawHeaders'>;

/**
 * Turns the target of a request into a path, before anything reads it. The host of a whole address replaces the header
 * Host, as RFC 9112 says. Its scheme and user are ignored: the connection decides them.
 * @returns why the request must be refused with 400, for its client: its target is neither a path nor an address of HTTP
 * (it is `/` afterwards), or its header Host has no use; null: it is usable
 */
export function readTarget(request: Target): string | null {
  const isPath = readPath(request);
  if (hasSeveralHosts(request)) return SEVERAL_HOSTS;
  if (!isPath) return UNUSABLE_TARGET;
  const { host } = request.headers;
  // A client of a service without a name sends an empty one.
  return host === undefined || host === '' || HOST.test(host) ? null : UNUSABLE_HOST;
}

/** @returns false for a target that is neither a path nor an address of HTTP */
function readPath(request: Target): boolean {
  const target = request.url ?? '';
  if (target === '*' && request.method === 'OPTIONS') return true;
  if (target.startsWith('/')) {
    request.url = collapseSlashes(withoutFragment(target));
    return true;
  }
  const [, host = '', rest = ''] = ABSOLUTE_FORM.exec(target) ?? [];
  request.url = '/';
  if (!HOST.test(host)) return false;
  request.headers.host = host;
  // RFC 9112, section 3.2.4: `OPTIONS *` is sent to a proxy in this form.
  if (request.method === 'OPTIONS' && rest === '') request.url = '*';
  else request.url = collapseSlashes(withoutFragment(rest.startsWith('/') ? rest : `/${rest}`));
  return true;
}

/**
 * Node.js keeps the first Host, and a proxy may have read the last one. RFC 9112, section 3.2, demands the answer 400.
 */
function hasSeveralHosts({ rawHeaders }: Target): boolean {
  const isHost = (text: string, at: number): boolean => at % 2 === 0 && text.toLowerCase() === 'host';
  return rawHeaders.filter(isHost).length > 1;
}

/** A target may have no fragment; programs that send one mean the address before it. */
function withoutFragment(target: string): string {
  const mark = target.indexOf('#');
  return mark < 0 ? target : target.slice(0, mark);
}

/** `//api///v1/test?x=//` → `/api/v1/test?x=//`: clients join a base address that ends with a slash and a path. */
function collapseSlashes(target: string): string {
  if (!target.includes('//')) return target;
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  return path.replace(/\/{2,}/g, '/') + target.slice(path.length);
}
