import { isIPv6 } from 'node:net';

/** Groups of an IPv6 address that name a network; a client that has the network has all of its addresses. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/** What a client cannot change at will: an IPv4 address as it is, of an IPv6 address its /64 network. */
export function networkOf(address: string): string {
  const inner = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (inner !== undefined) return inner;
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = (address.split('%')[0] ?? '').split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const missing = GROUPS - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(Math.max(0, missing)).fill('0'), ...groups(tail)];
  return all
    .slice(0, NETWORK_GROUPS)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
}
