import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Home } from './home';

it('a home that is closed to the user of the servers will do for who names a database elsewhere', async () => {
  const path = await mkdtemp(join(tmpdir(), 'proctor-home-'));
  await chmod(path, 0o700);
  try {
    const PROCTOR_DATABASE_URL = 'postgres://proctor@db.example.org/proctor';
    expect((await Home.find({ PROCTOR_HOME: path, PROCTOR_DATABASE_URL }, '/')).path).toBe(path);
  } finally {
    await rm(path, { recursive: true });
  }
});
