import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@proctor/embedded';
import { prepareNats } from './prepare-servers';

let folder: string;
const env = { ...process.env };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-nats-users-'));
  process.env = { ...env, PROCTOR_NATS_USERS: folder };
  delete process.env['PROCTOR_DATABASE_URL'];
  jest.spyOn(console, 'error').mockReturnValue();
});
afterEach(async () => {
  process.env = env;
  jest.restoreAllMocks();
  await rm(folder, { recursive: true });
});

it('the users of nats-server are prepared without a register once, and never again: its workers would be lost', async () => {
  const url = `nats://127.0.0.1:${await findFreePort()}`;
  await prepareNats({ url });
  const accounts = () => readFile(join(folder, 'accounts.conf'), 'utf8');
  const before = await accounts();
  await expect(prepareNats({ url })).rejects.toThrow(
    'PROCTOR_DATABASE_URL is not set: without the register no worker would be let in',
  );
  expect(await accounts()).toBe(before);
});
