import { readFile } from 'node:fs/promises';
import { nkeys } from '@nats-io/transport-node';
import { WORKER_NAME, parseMessage } from '@proctor/contracts';
import { IsOptional, Matches } from 'class-validator';

/** A credentials file that cannot be used; the message names the file and the field, and never the seed. */
export class BadCredentials extends Error {}

/** How one process connects to NATS: the content of a credentials file (JSON). */
export class Credentials {
  /** The name of the user: a worker's name, `scheduler`, `api` or `system`. */
  @Matches(WORKER_NAME)
  name!: string;

  /** `nats://host:port`, or `tls://host:port`, which needs `ca`. Several servers are separated by commas. */
  @Matches(/^(nats|tls):\/\/[^\s/@,]+(,(nats|tls):\/\/[^\s/@,]+)*$/, {
    message: 'url must be nats://host:port or tls://host:port, without user and password',
  })
  url!: string;

  /** The private half of the user's nkey, `SU…`: its holder is this user. */
  @Matches(/^SU[A-Z2-7]{56}$/, { message: "seed must be that of a user's nkey (SU…)" })
  seed!: string;

  /**
   * Certificates in PEM against which those of the servers are checked; required with `tls://`, not allowed without.
   */
  @IsOptional()
  @Matches(/^-----BEGIN CERTIFICATE-----/)
  ca?: string;
}

/** A new user. Only these credentials hold the seed; nats-server gets the public key. */
export function newCredentials(
  name: string,
  url: string,
  ca?: string,
): { credentials: Credentials; publicKey: string } {
  const key = nkeys.createUser();
  const seed = Buffer.from(key.getSeed()).toString();
  const credentials = { name, url, seed, ...(ca !== undefined && { ca }) };
  return { credentials: checked(credentials, 'new credentials'), publicKey: key.getPublicKey() };
}

/**
 * @param text content of the file
 * @param source name of the file, for error messages
 * @throws BadCredentials if the text is not valid
 */
export function parseCredentials(text: string, source: string): Credentials {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    // The parser's message would quote the text, seed and all.
    throw new BadCredentials(`${source}: not JSON`);
  }
  return checked(data, source);
}

/** @throws BadCredentials also when the file cannot be read */
export async function readCredentials(path: string): Promise<Credentials> {
  try {
    return parseCredentials(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof BadCredentials) throw error;
    throw new BadCredentials(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** The public key `U…` by which nats-server identifies the user. */
export function publicKeyOf({ seed }: Pick<Credentials, 'seed'>): string {
  return nkeys.fromSeed(Buffer.from(seed)).getPublicKey();
}

function checked(data: unknown, source: string): Credentials {
  let credentials: Credentials;
  try {
    credentials = parseMessage(Credentials, data);
  } catch (error) {
    throw new BadCredentials(`${source}: ${(error as Error).message}`);
  }
  const { url, ca, seed } = credentials;
  const isEncrypted = url.split(',').map((each) => each.startsWith('tls://'));
  if (isEncrypted.includes(true) && isEncrypted.includes(false))
    throw new BadCredentials(`${source}: url: ${url} mixes nats:// and tls://`);
  if (isEncrypted.includes(true) && ca === undefined)
    throw new BadCredentials(`${source}: ca: missing, ${url} can be trusted with a certificate only`);
  if (!isEncrypted.includes(true) && ca !== undefined)
    throw new BadCredentials(`${source}: ca: ${url} is not encrypted; write tls://`);
  try {
    publicKeyOf({ seed });
  } catch {
    // The library's message would contain a part of the seed.
    throw new BadCredentials(`${source}: seed: damaged, its checksum does not match`);
  }
  return credentials;
}
