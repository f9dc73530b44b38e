/** The maximum length of a path of ours. */
const PATH_LENGTH_MAX = 2_000;

/**
 * The path to which a login returns.
 * @param target the value of a request: a path of this server with its query
 * @returns `target`, or `/` if it is no such path; never an address of another origin
 */
export function returnTo(target: unknown): string {
  if (typeof target !== 'string' || target.length > PATH_LENGTH_MAX) return '/';
  // Browsers remove tabs and newlines, and treat a backslash like a slash.
  if (!/^\/[\x21-\x7e]*$/.test(target) || target.includes('\\')) return '/';
  const here = 'http://here.invalid';
  if (!URL.canParse(target, here)) return '/';
  const { origin, pathname, search, hash } = new URL(target, here);
  const isOurs = origin === here && !pathname.startsWith('//') && !pathname.startsWith('/user/log');
  return isOurs ? pathname + search + hash : '/';
}

/**
 * An address of this server as the path that the service has for it; anything else as it is.
 * @param base the address of the service, without a slash at its end; it may have a path
 */
export function withoutBase(address: unknown, base: string): unknown {
  if (typeof address !== 'string') return address;
  const { origin, pathname } = new URL(base);
  const path = address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
  const own = pathname.replace(/(?<!\/)\/+$/, '');
  return path.startsWith(`${own}/`) ? path.slice(own.length) : path;
}

/** The address of the login that leads back to a path. */
export function loginUrl(path: string): string {
  return `/user/login?next=${encodeURIComponent(path)}`;
}
