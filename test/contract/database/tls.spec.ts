import { randomUUID } from 'node:crypto';
import { chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@proctor/database';
import { EmbeddedPostgres } from '@proctor/embedded';
import { prepareFolder } from '@libs/embedded/src/owned-files';
import { serverUser } from '@libs/embedded/src/server-user';
import { Authority } from '@test/support/certificates';
import { silenceLog } from '@test/support/silent-log';

silenceLog();

let folder: string;
let encrypted: EmbeddedPostgres;
let plain: EmbeddedPostgres;
let own: string;
let foreign: string;

beforeAll(async () => {
  folder = join(process.env.PROCTOR_TEST_FOLDER!, `database-tls-${randomUUID()}`);
  await mkdir(folder, { mode: 0o711 });
  const authority = await Authority.make(folder, 'own');
  const other = await Authority.make(folder, 'foreign');
  [own, foreign] = [authority.path, other.path];
  const files = await authority.sign('server', 'IP:127.0.0.1');
  // The server reads a key that is its user's own alone.
  const user = await serverUser();
  await prepareFolder(join(folder, 'tls'), 0o700, user);
  const [certificate, key] = [join(folder, 'tls/server.pem'), join(folder, 'tls/server.key')];
  await writeFile(certificate, await readFile(files.certificate));
  await writeFile(key, await readFile(files.key), { mode: 0o600 });
  if (user) for (const file of [certificate, key]) await chown(file, user.uid, user.gid);
  const settings = { log_connections: 'on', ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key };
  encrypted = postgres('encrypted', settings);
  plain = postgres('plain');
  await Promise.all([encrypted.start(), plain.start()]);
});
afterAll(async () => {
  await Promise.all([encrypted?.stop(), plain?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

function postgres(name: string, settings: Record<string, string> = {}): EmbeddedPostgres {
  const passwordFile = join(folder, `${name}.password`);
  return new EmbeddedPostgres({ folder: join(folder, name), passwordFile, settings });
}

async function connected(server: EmbeddedPostgres, ca: string | null, host = '127.0.0.1'): Promise<void> {
  const url = new URL(server.url);
  url.hostname = host;
  url.searchParams.set('sslmode', 'verify-full');
  if (ca !== null) url.searchParams.set('sslrootcert', ca);
  const database = await openDatabase(url.href);
  await database.close();
}

it('the client of PostgreSQL connects to the server whose certificate the authority has signed', async () => {
  await connected(encrypted, own);
  expect(await readFile(join(folder, 'encrypted/server.log'), 'utf8')).toMatch(/SSL enabled/);
});

it.each([
  ['of a foreign authority', () => connected(encrypted, foreign), /certificate/],
  ['of another host', () => connected(encrypted, own, 'localhost'), /does not match/],
  ['without an authority', () => connected(encrypted, null), /certificate/],
])('the client of PostgreSQL takes no certificate %s', async (_what, connecting, why) => {
  await expect(connecting()).rejects.toThrow(why);
});

it('the client of PostgreSQL does not speak in the open with a server that offers no encryption', async () => {
  await expect(connected(plain, own)).rejects.toThrow(/does not support SSL/);
});
