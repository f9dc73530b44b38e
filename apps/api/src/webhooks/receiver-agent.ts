import type { RequestOptions } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { METADATA_NETWORKS } from '@proctor/config';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { findReceiver } from './receiver-lookup';

/**
 * Where clouds give their machines credentials, one of them on the public Internet; and addresses of IPv4 written as IPv6,
 * which no receiver has.
 */
const CREDENTIAL_NETWORKS = [...METADATA_NETWORKS, '::/96'];

/**
 * Connects to a receiver: the agent checks each address of its name, and refuses those that are neither on the public
 * Internet nor in an allowed network. It gets addresses, not networks: for each network of another
 * family than the address, it writes a stack trace to the log.
 */
export function connectionTo(
  { protocol, hostname }: URL,
  allowedNetworks: string[],
): Pick<RequestOptions, 'agent' | 'lookup'> {
  const isAllowed = membershipOf(allowedNetworks);
  const isRefused = membershipOf(CREDENTIAL_NETWORKS);
  const filter = { allowIPAddressList: [] as string[], denyIPAddressList: [] as string[], keepAlive: false };
  const sort = (addresses: string[]): void => {
    filter.allowIPAddressList.push(...addresses.filter(isAllowed));
    filter.denyIPAddressList.push(...addresses.filter(isRefused));
  };
  sort([hostname.replace(/^\[|\]$/g, '')]);
  return {
    agent:
      protocol === 'https:' ? new RequestFilteringHttpsAgent(filter) : new RequestFilteringHttpAgent(filter),
    lookup: findReceiver(sort),
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
