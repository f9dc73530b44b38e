import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { type Clock, withTimeLimit } from '@proctor/clock';
import type { MailSection } from '@proctor/config';
import { createTransport } from 'nodemailer';
import type { MailText } from './mail-text';

/** How many bytes of an answer are read. */
export const RELAY_ANSWER_BYTES_MAX = 64 * 1024;
const ERROR_LENGTH_MAX = 300;

export interface Mail extends MailText {
  /** The name that the mail comes from. */
  from: string;
  to: string;
  /** The part of the Message-ID before the `@`. */
  id: string;
  /** Null: the mail confirms an address, and none follows. */
  unsubscribeUrl: string | null;
}

/** The relay did not take a mail. */
export class RelayError extends Error {
  /** @param isRefusal it answered that it never takes this mail, or mail to this address */
  constructor(
    message: string,
    readonly isRefusal: boolean,
  ) {
    super(message);
  }
}

/** Sends a mail by the SMTP relay. @throws RelayError when the relay does not take it */
export async function sendMail(mail: Mail, relay: MailSection, clock: Clock): Promise<void> {
  const { host, port, tls, user, passwordFile, timeoutMs } = relay;
  let socket: Socket | null = null;
  try {
    const pass = passwordFile === undefined ? '' : (await readFile(passwordFile, 'utf8')).trim();
    const transport = createTransport({
      host,
      port,
      secure: tls === 'tls',
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'none',
      ...(user !== undefined && { auth: { user, pass } }),
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      maxResponseSize: RELAY_ANSWER_BYTES_MAX,
      disableFileAccess: true,
      disableUrlAccess: true,
      // The socket is ours, so that it ends with the time.
      getSocket: (_options, answer) => {
        socket = connectTo(host, port, answer);
      },
    });
    await withTimeLimit(transport.sendMail(messageOf(mail, relay)), 'the relay', timeoutMs, clock);
  } catch (error) {
    throw relayErrorOf(error);
  } finally {
    (socket as Socket | null)?.destroy();
  }
}

type SocketAnswer = (error: Error | null, options?: { connection: Socket }) => void;

/** The answer comes once: the connection is there, or failed. */
function connectTo(host: string, port: number, answer: SocketAnswer): Socket {
  const socket = connect({ host, port });
  // The transport does not listen at every moment; an error that nothing listens to would end the process.
  socket.on('error', () => undefined);
  socket.once('error', answer);
  socket.once('connect', () => {
    socket.off('error', answer);
    answer(null, { connection: socket });
  });
  return socket;
}

function messageOf({ from, to, subject, text, html, id, unsubscribeUrl }: Mail, { sender }: MailSection) {
  return {
    from: { name: from, address: sender },
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}@${sender.split('@')[1]!}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribeUrl !== null && {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  };
}

function relayErrorOf(error: unknown): RelayError {
  const { message, code, responseCode } = error as Error & { code?: string; responseCode?: number };
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const line = message.replace(/\s+/g, ' ').slice(0, ERROR_LENGTH_MAX);
  return new RelayError(line, isOfMail && (responseCode ?? 0) >= 500);
}
