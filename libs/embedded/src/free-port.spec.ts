import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { findFreePort } from './free-port';

/** @returns the port that is found when these are the first to be tried */
async function foundAfter(...tried: number[]): Promise<number> {
  const randomInt = jest.spyOn(crypto, 'randomInt');
  for (const port of tried) randomInt.mockImplementationOnce(() => port);
  const port = await findFreePort();
  expect(randomInt.mock.calls.length).toBeGreaterThan(tried.length);
  randomInt.mockRestore();
  return port;
}

it('a free port is found for one program, though that does not listen yet', async () => {
  const [first, other] = [await findFreePort(), await findFreePort()];
  expect([first, other]).not.toContain(await foundAfter(first, other));
});

it('a free port is none on which a program listens', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await foundAfter(port)).not.toBe(port);
  server.close();
});

it('a free port is none that was found in another process, as long as that runs', async () => {
  const port = await findFreePort();
  const listen = `require('node:net').createServer().once('error', ({ code }) => console.log(code))
    .listen('\\0proctor-port-${port}')`;
  expect(execFileSync(process.execPath, ['-e', listen], { encoding: 'utf8' })).toBe('EADDRINUSE\n');
});
