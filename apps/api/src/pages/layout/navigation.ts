export interface Link {
  url: string;
  name: string;
  isHere: boolean;
}

/** A link in the head of each page to a part of the site. */
const PARTS: Omit<Link, 'isHere'>[] = [
  { url: '/packages/', name: 'Packages' },
  { url: '/triggers/', name: 'Triggers' },
  { url: '/status/queue/', name: 'Queues' },
  { url: '/status/workers/', name: 'Workers' },
  { url: '/status/', name: 'Status' },
];

/**
 * @param path the path of the current page
 * @param userName null without a login; then the link to request tests leads to the login
 */
export function navigation(path: string, userName: string | null): Link[] {
  const request = { url: userName === null ? '/-/request' : `/user/${userName}/test`, name: 'Request' };
  const parts = [...PARTS, request];
  const folder = path.endsWith('/') ? path : `${path}/`;
  const here = parts
    .filter(({ url }) => folder.startsWith(url))
    .sort((one, other) => other.url.length - one.url.length)[0];
  return parts.map((part) => ({ ...part, isHere: part === here }));
}
