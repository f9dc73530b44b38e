import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
);

/** scrypt's cost: 64 MiB and some 0.2 s for each password. */
const COST = { N: 2 ** 16, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64: the cost may rise later and old hashes stay readable. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await scryptOf(password, salt, HASH_BYTES, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join('$');
}

/** Has the form of an answer of `hashPassword`, and belongs to no known password. */
export const DECOY_PASSWORD_HASH = [
  'scrypt',
  COST.N,
  COST.r,
  COST.p,
  randomBytes(SALT_BYTES).toString('base64'),
  randomBytes(HASH_BYTES).toString('base64'),
].join('$');

/** Whether `stored`, a result of `hashPassword`, belongs to the password. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt, hash] = stored.split('$');
  const expected = Buffer.from(hash ?? '', 'base64');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const actual = await scryptOf(password, Buffer.from(salt ?? '', 'base64'), expected.length, cost);
  return timingSafeEqual(actual, expected);
}

/** Unicode gives some passwords two encodings; both are the same password. */
function scryptOf(password: string, salt: Buffer, bytes: number, cost: typeof COST): Promise<Buffer> {
  return derive(password.normalize('NFKC'), salt, bytes, { ...cost, maxmem: 256 * cost.N * cost.r });
}
