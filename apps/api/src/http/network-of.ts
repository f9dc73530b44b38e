import { isIPv6 } from 'node:net';

/**
 * The number of groups that name the network in an IPv6 address: a client with the network has all of its addresses.
 */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/**
 * The part of an address that a client cannot change at will: an IPv4 address, or the /64 network of an IPv6 address.
 */
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
