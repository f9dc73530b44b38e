import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, string, number, { N: number; r: number; maxmem: number }, Buffer>(scrypt);
/** Cost of scrypt: trying a password here is as costly as a login. */
const COST = { N: 2 ** 16, r: 8, maxmem: 256 * 2 ** 16 * 8 };

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The answer to a request for a key holds the key's secret, which is kept nowhere. For a client that sends the request
 * again the answer is kept closed: it takes the user's password and the client's own word to open it, and a client that
 * knows the password could make keys anyway.
 */
export interface Sealing {
  /** The client's word for the request. */
  word: string;
  fingerprint: string;
  password: string;
}

/** Closes and opens the answer of one request. */
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

  /** Null when it was closed with another password. */
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
      // The one thing that `final` checks is the tag.
      return null;
    }
  }
}
