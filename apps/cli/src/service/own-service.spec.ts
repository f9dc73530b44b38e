import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../failure';
import { ownService } from './own-service';

jest.mock('@proctor/database', () => {
  throw new Error('the database was loaded');
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-own-service-'));
  // The servers' own user has to reach a home.
  await chmod(folder, 0o755);
});
afterEach(() => rm(folder, { recursive: true }));

it('the service of a home is looked for without loading the database, which would take longer than asking', async () => {
  await expect(ownService({ PROCTOR_HOME: folder })).rejects.toMatchObject({
    code: EXIT.tryLater,
    message: `no service is named, and Proctor does not run on ${folder}`,
  });
});

it('the service that works on the database of the environment is found by it', async () => {
  const env = { PROCTOR_HOME: folder, PROCTOR_DATABASE_URL: 'postgres://127.0.0.1/none' };
  await expect(ownService(env)).rejects.toThrow('the database was loaded');
});
