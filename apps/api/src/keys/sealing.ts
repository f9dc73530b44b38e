import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, string, number, { N: number; r: number; maxmem: number }, Buffer>(scrypt);
/** The cost of scrypt: to try a password here costs as much as a login. */
const COST = { N: 2 ** 16, r: 8, maxmem: 256 * 2 ** 16 * 8 };

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The answer to a request for a key has the key's secret, which is stored nowhere else. For a client that repeats the
 * request the answer is stored encrypted. To open it needs the user's password and the client's own word; with the
 * password, a client could create keys anyway.
 */
export interface Sealing {
  /** The client's word for the request. */
  word: string;
  fingerprint: string;
  password: string;
}

/** Encrypts and decrypts the answer of one request. */
export class Seal {
  private constructor(private readonly key: Buffer) {}

  static async of({ word, password }: Sealing, userName: string): Promise<Seal> {
    const salt = createHash('sha256').update(`${userName}\n${word}`).digest('hex');
    return new Seal(await derive(password.normalize('NFKC'), salt, KEY_BYTES, COST));
  }

  close(text: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, iv);
    const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), content]).toString('base64');
  }

  /** @returns null if it was encrypted with another password */
  open(sealed: string): string | null {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv(CIPHER, this.key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const start = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([start, decipher.final()]).toString('utf8');
    } catch {
      // `final` checks only the tag.
      return null;
    }
  }
}
