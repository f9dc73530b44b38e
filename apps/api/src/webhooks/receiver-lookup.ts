import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { type Clock, systemClock, waitAtMost } from '@proctor/clock';

/** How long a name server may take for its first answer. A question is repeated with up to twice that time. */
const QUESTION_MS = 2_500;
/** How often each name server is asked. */
const QUESTIONS = 2;
/** How long the addresses of one family wait for the answer about the other family. */
const OTHER_FAMILY_MS = 500;
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
  clock: Clock = systemClock,
): LookupFunction {
  return (name, { all }, callback) => {
    findAddresses(name, nameServers, clock).then(
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

/** @throws the answer of the name servers for IPv4 if there is no address at all */
async function findAddresses(
  name: string,
  nameServers: NameServers,
  clock: Clock,
): Promise<[Address, ...Address[]]> {
  if (OWN_NAME.test(name)) return [addressOf('127.0.0.1', 4)];
  const addresses: Record<4 | 6, Address[]> = { 4: [], 6: [] };
  const collect = async (family: 4 | 6, question: Promise<string[]>): Promise<void> => {
    addresses[family] = (await question).map((address) => addressOf(address, family));
    if (addresses[family].length === 0) throw new Error(`${name} has no address`);
  };
  const questions = [collect(4, nameServers.resolve4(name)), collect(6, nameServers.resolve6(name))];
  await Promise.any(questions).catch(({ errors: [error] }: AggregateError) => Promise.reject(error as Error));
  await waitAtMost(Promise.all(questions), OTHER_FAMILY_MS, clock);
  return [...addresses[4], ...addresses[6]] as [Address, ...Address[]];
}

function addressOf(address: string, family: 4 | 6): Address {
  return { address, family };
}
