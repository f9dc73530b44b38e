import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@proctor/clock';
import type { MailSection } from '@proctor/config';
import { MailRelay } from '@test/support/mail-relay';
import { type Mail, RELAY_ANSWER_BYTES_MAX, sendMail } from './relay';

const MAIL: Mail = {
  from: 'Tests, "more"',
  to: 'ada@example.org',
  subject: 'hello began to fail',
  text: 'Grüße\n',
  html: '<p>Grüße</p>',
  id: 'digest.1.2',
  unsubscribeUrl: 'https://ci.example.org/mail/unsubscribe/t',
};

const section = (port: number, more: Partial<MailSection> = {}): MailSection => ({
  host: '127.0.0.1',
  port,
  tls: 'none',
  sender: 'ci@example.org',
  timeoutMs: 5_000,
  ...more,
});
const send = (port: number, more: Partial<MailSection> = {}, mail = MAIL): Promise<void> =>
  sendMail(mail, section(port, more), systemClock);

let relay: MailRelay | null = null;
afterEach(async () => {
  await relay?.stop();
  relay = null;
});

it('a mail reaches a real relay with the headers by which its receiver ends the mails', async () => {
  relay = await MailRelay.start();
  await send(relay.port);
  expect(relay.mails).toMatchObject([
    {
      to: ['ada@example.org'],
      text: 'Grüße',
      html: '<p>Grüße</p>',
      headers: {
        from: '"Tests, \\"more\\"" <ci@example.org>',
        to: 'ada@example.org',
        subject: 'hello began to fail',
        'message-id': '<digest.1.2@example.org>',
        'list-unsubscribe': '<https://ci.example.org/mail/unsubscribe/t>',
        'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
        'auto-submitted': 'auto-generated',
      },
    },
  ]);
});

it('no text makes a header or a receiver of its own', async () => {
  relay = await MailRelay.start();
  const hostile = 'x\r\nBcc: eve@example.org\r\n\r\nbody';
  await send(relay.port, {}, { ...MAIL, subject: hostile, id: 'a\r\nBcc: eve' });
  const [mail] = relay.mails;
  expect(mail?.to).toEqual(['ada@example.org']);
  expect(Object.keys(mail!.headers)).not.toContain('bcc');
  await send(relay.port, {}, { ...MAIL, to: 'ada@example.org, eve@example.org' }).catch(() => undefined);
  expect(relay.mails.flatMap(({ to }) => to)).not.toContain('eve@example.org');
});

it('a relay that is away ends no process, whatever else is being read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proctor-relay-'));
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, 'secret\n');
  const closed = await MailRelay.start();
  await closed.stop();
  await expect(send(closed.port, { user: 'ci', passwordFile })).rejects.toThrow('ECONNREFUSED');
  await rm(folder, { recursive: true });
});

it('a relay that asks for a password gets it from its file, over TLS alone when that is demanded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proctor-relay-'));
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, 'secret\n');
  relay = await MailRelay.start({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, answer) =>
      username === 'ci' && password === 'secret' ? answer(null, { user: 'ci' }) : answer(new Error('wrong')),
  });
  await send(relay.port, { user: 'ci', passwordFile });
  expect(relay.mails).toHaveLength(1);
  // Neither a wrong password nor a relay without TLS says something about the receiver.
  for (const more of [{ user: 'eve', passwordFile }, { tls: 'starttls' as const }, { tls: 'tls' as const }])
    await expect(send(relay.port, more)).rejects.toMatchObject({ isRefusal: false });
  await expect(send(relay.port, { user: 'ci', passwordFile: join(folder, 'none') })).rejects.toThrow(
    'ENOENT',
  );
  expect(relay.mails).toHaveLength(1);
  await rm(folder, { recursive: true });
});

it('a receiver that the relay refuses is distinguished from a relay that fails', async () => {
  relay = await MailRelay.start();
  relay.refusedSenders.add('ada@example.org');
  await expect(send(relay.port)).rejects.toMatchObject({ isRefusal: true });
  const { port } = relay;
  await relay.stop();
  relay = null;
  await expect(send(port)).rejects.toMatchObject({ isRefusal: false });
});

it.each([
  ['says nothing', () => undefined, 'took longer than 500 ms'],
  [
    'says one letter after the other',
    (socket: Socket) => {
      const timer = setInterval(() => socket.write('2'), 20);
      socket.once('close', () => clearInterval(timer));
    },
    'took longer than 500 ms',
  ],
  [
    `says more than RELAY_ANSWER_BYTES_MAX`,
    (socket: Socket) => {
      socket.write('2'.repeat(RELAY_ANSWER_BYTES_MAX + 1));
    },
    '',
  ],
])('a relay that %s is left', async (_, behave, reason) => {
  const closed: Promise<unknown>[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    closed.push(new Promise((resolve) => socket.once('close', resolve)));
    socket.resume();
    behave(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await expect(send((server.address() as AddressInfo).port, { timeoutMs: 500 })).rejects.toThrow(reason);
  // The connection has ended, too.
  await Promise.all(closed);
  server.close();
});
