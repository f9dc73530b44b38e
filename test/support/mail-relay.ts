import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail as a relay has taken it. */
export interface TakenMail {
  to: string[];
  /** Names in lower case; folded lines are one. */
  headers: Record<string, string>;
  /** The plain text and the HTML, decoded. */
  text: string;
  html: string;
}

/** A real SMTP server on loopback that takes mails and keeps them. */
export class MailRelay {
  readonly mails: TakenMail[] = [];
  /** Addresses that it refuses for good. */
  readonly refusedSenders = new Set<string>();

  private constructor(
    private readonly server: SMTPServer,
    readonly port: number,
  ) {}

  /** @param options those of smtp-server; by default it asks for no password and offers no TLS */
  static async start(
    options: ConstructorParameters<typeof SMTPServer>[0] = { disabledCommands: ['AUTH', 'STARTTLS'] },
    port = 0,
  ): Promise<MailRelay> {
    const server = new SMTPServer({
      ...options,
      logger: false,
      onRcptTo: ({ address }, _session, answer) =>
        answer(
          relay.refusedSenders.has(address)
            ? Object.assign(new Error('no such user'), { responseCode: 550 })
            : null,
        ),
      onData(stream, { envelope }, answer) {
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('end', () => {
          const to = envelope.rcptTo.map(({ address }) => address);
          relay.mails.push({ to, ...parsed(Buffer.concat(parts).toString('utf8')) });
          answer();
        });
      },
    });
    server.on('error', () => undefined);
    server.listen(port, '127.0.0.1');
    await once(server.server, 'listening');
    const relay: MailRelay = new MailRelay(server, (server.server.address() as AddressInfo).port);
    return relay;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

function parsed(raw: string): Omit<TakenMail, 'to'> {
  const { headers, body } = divided(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1];
  const parts =
    boundary === undefined
      ? [{ headers, body }]
      : body
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((part) => divided(part.trim()));
  const ofType = (type: string): string => {
    const part = parts.find((each) => each.headers['content-type']?.startsWith(type));
    return part === undefined ? '' : decoded(part.body, part.headers['content-transfer-encoding'] ?? '7bit');
  };
  return { headers, text: ofType('text/plain'), html: ofType('text/html') };
}

function divided(raw: string): { headers: Record<string, string>; body: string } {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { headers: Object.fromEntries(headers), body: rest.join('\r\n\r\n') };
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
