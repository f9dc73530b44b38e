import type { RequestOptions } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { findReceiver } from './receiver-lookup';

/**
 * Connects to a receiver: the agent checks each address of its name, and refuses those that are neither on the public
 * Internet nor in an allowed network. It gets the allowed addresses, not the networks: for each network of another
 * family than the address, it writes a stack trace to the log.
 */
export function connectionTo(
  { protocol, hostname }: URL,
  allowedNetworks: string[],
): Pick<RequestOptions, 'agent' | 'lookup'> {
  const isAllowed = membershipOf(allowedNetworks);
  const allowed = [hostname.replace(/^\[|\]$/g, '')].filter(isAllowed);
  const filter = { allowIPAddressList: allowed, keepAlive: false };
  return {
    agent:
      protocol === 'https:' ? new RequestFilteringHttpsAgent(filter) : new RequestFilteringHttpAgent(filter),
    lookup: findReceiver((addresses) => allowed.push(...addresses.filter(isAllowed))),
  };
}

/** A list for each family: one for both finds IPv4 addresses in IPv6 networks. */
function membershipOf(networks: string[]): (address: string) => boolean {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    if (bits === undefined) lists[family].addAddress(address, family);
    else lists[family].addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && lists[familyOf(address)].check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
