import { isUtf8 } from 'node:buffer';

export interface BasicCredentials {
  name: string;
  password: string;
}

/** Longer passwords are refused: to hash one would take long. */
const CREDENTIALS_LENGTH_MAX = 1_000;

/** Reads the header `Authorization` of the scheme Basic (RFC 7617, UTF-8); null if it has no usable credentials. */
export function basicCredentials(header: string | undefined): BasicCredentials | null {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return null;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > CREDENTIALS_LENGTH_MAX || !isUtf8(bytes)) return null;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  // No name or password has control characters, and PostgreSQL refuses a text with NUL.
  if (colon < 1 || /\p{Cc}/u.test(text)) return null;
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
