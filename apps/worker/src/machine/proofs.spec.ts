import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Proofs } from './proofs';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'proofs-'))));
afterEach(async () => rm(folder, { recursive: true }));

it('a proof is made once for each boot of a machine, however often it is asked for', async () => {
  const path = join(folder, 'work/proofs.json');
  const prove = jest.fn(() => Promise.resolve('works'));
  expect(await new Proofs(path, 'boot 1').once('arm64', prove)).toBe('works');
  expect(await new Proofs(path, 'boot 1').once('arm64', prove)).toBe('works');
  expect(prove).toHaveBeenCalledTimes(1);
  await new Proofs(path, 'boot 1').once('i386', prove);
  await new Proofs(path, 'boot 2').once('arm64', prove);
  expect(prove).toHaveBeenCalledTimes(3);
});

it('a proof that failed is tried again', async () => {
  const proofs = new Proofs(join(folder, 'proofs.json'), 'boot 1');
  await expect(proofs.once('arm64', () => Promise.reject(new Error('no interpreter')))).rejects.toThrow(
    'no interpreter',
  );
  expect(await proofs.once('arm64', () => Promise.resolve('works'))).toBe('works');
});

it('proofs that are made at the same time are all kept', async () => {
  const path = join(folder, 'proofs.json');
  const proofs = new Proofs(path, 'boot 1');
  const names = Array.from({ length: 20 }, (_, number) => `proof ${number}`);
  await Promise.all(names.map((name) => proofs.once(name, () => Promise.resolve(name))));
  const never = () => Promise.reject(new Error('it was proved already'));
  for (const name of names) expect(await new Proofs(path, 'boot 1').once(name, never)).toBe(name);
});

it('proofs begin again when a power cut left their file unfinished', async () => {
  const path = join(folder, 'proofs.json');
  await writeFile(path, '{"boot":"boot 1","pro');
  const prove = jest.fn(() => Promise.resolve('works'));
  expect(await new Proofs(path, 'boot 1').once('arm64', prove)).toBe('works');
  expect(await new Proofs(path, 'boot 1').once('arm64', prove)).toBe('works');
  expect(prove).toHaveBeenCalledTimes(1);
});
