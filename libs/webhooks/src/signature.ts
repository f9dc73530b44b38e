import { createHmac, randomBytes } from 'node:crypto';

/** The prefix of secrets, so that scanners find those that were published by mistake. */
const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The header `webhook-signature` of Standard Webhooks: one signature for each secret, since the old one stays valid for a while
 * after a new one was created.
 * @param seconds UNIX time, as in `webhook-timestamp`
 */
export function signatures(secrets: string[], id: string, seconds: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
