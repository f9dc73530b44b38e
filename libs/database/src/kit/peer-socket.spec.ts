import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peerSocket } from './peer-socket';

const isRoot = process.getuid?.() === 0;

let folder: string;
let server: Server;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-peer-'));
  await chmod(folder, 0o755);
  server = createServer((socket) => socket.end());
  await once(server.listen(join(folder, '.s')), 'listening');
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** @returns the code of the error; null when it was let in */
async function connected(url: string): Promise<string | null> {
  const socket = peerSocket(url).stream!();
  socket.connect(join(folder, '.s'));
  try {
    await once(socket, 'connect');
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code!;
  } finally {
    socket.destroy();
  }
}

it('root comes through a socket as the user that the address names, and is root again after', async () => {
  const at = (user: string): string => `postgres://${user}@/x?host=${folder}`;
  if (!isRoot) return expect(peerSocket(at('daemon'))).toEqual({});
  await chmod(join(folder, '.s'), 0o600);
  expect(await connected(at('daemon'))).toBe('EACCES');
  expect(await connected(at('not-known-here'))).toBeNull();
  expect(process.geteuid!()).toBe(0);
  await chmod(join(folder, '.s'), 0o666);
  expect(await connected(at('daemon'))).toBeNull();
});

it('a network address needs no other user of this machine', () => {
  expect(peerSocket('postgres://daemon@db.example.org/x')).toEqual({});
});
