import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** How long one question to a name server may take; the second one takes twice as long. */
const QUESTION_MS = 2_500;
const QUESTIONS = 2;
/** Names of the machine itself, which name servers do not answer. */
const OWN_NAME = /(^|\.)localhost\.?$/i;

type Address = { address: string; family: 4 | 6 };
type NameServers = Pick<Resolver, 'resolve4' | 'resolve6'>;

/**
 * Finds the addresses of a receiver at the name servers, without /etc/hosts. `dns.lookup` would occupy one of the two
 * threads that Node.js has for names until it ends: receivers whose name server is silent would delay the connections to
 * the store, the database and the bus by minutes.
 * @param onFound called with the addresses before they are passed on
 * @param nameServers those of /etc/resolv.conf as it is now
 */
export function findReceiver(
  onFound: (addresses: string[]) => void,
  nameServers: NameServers = new Resolver({ timeout: QUESTION_MS, tries: QUESTIONS }),
): LookupFunction {
  return (name, { all }, callback) => {
    findAddresses(name, nameServers).then(
      (addresses) => {
        onFound(addresses.map(({ address }) => address));
        const { address, family } = addresses[0];
        if (all) callback(null, addresses);
        else callback(null, address, family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

/** @throws what the name servers answer for IPv4 if there is no address at all */
async function findAddresses(name: string, nameServers: NameServers): Promise<[Address, ...Address[]]> {
  if (OWN_NAME.test(name)) return [addressOf('127.0.0.1', 4)];
  const [v4, v6] = await Promise.allSettled([nameServers.resolve4(name), nameServers.resolve6(name)]);
  const [first, ...others] = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => addressOf(address, 4)) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => addressOf(address, 6)) : []),
  ];
  if (first) return [first, ...others];
  throw v4.status === 'rejected' ? v4.reason : new Error(`${name} has no address`);
}

function addressOf(address: string, family: 4 | 6): Address {
  return { address, family };
}
