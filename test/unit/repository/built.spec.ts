import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** In place of the compiler: writes down that it was called, and makes what the build goes on with. */
const COMPILER = `
  const fs = require('node:fs');
  fs.appendFileSync('calls', 'x');
  fs.mkdirSync('dist/apps/api/src/document', { recursive: true });
  fs.writeFileSync('dist/apps/api/src/document/openapi.yaml', 'openapi: 3.1.0');`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'built-'));
  const compiler = 'node_modules/@swc/cli/bin';
  for (const name of ['apps', 'libs', 'scripts', compiler])
    await mkdir(join(folder, name), { recursive: true });
  for (const name of ['.swcrc', 'package-lock.json']) await writeFile(join(folder, name), '');
  for (const name of ['scripts/built.mjs', 'scripts/build.mjs']) await copyFile(name, join(folder, name));
  await writeFile(join(folder, 'scripts/client.mjs'), 'export async function buildClient() {}');
  await writeFile(join(folder, compiler, 'swc.js'), COMPILER);
  await symlink(resolve('node_modules/yaml'), join(folder, 'node_modules/yaml'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A command that needs the programs. @returns what it says of the build */
async function command(): Promise<string> {
  const script =
    "import('./scripts/built.mjs').then(({ ensureBuilt }) => console.log(ensureBuilt() === null))";
  return (await run(process.execPath, ['-e', script], { cwd: folder })).stdout.trim();
}
const calls = async (): Promise<number> => (await readFile(join(folder, 'calls'), 'utf8')).length;

it('of commands that find no programs at the same time, one builds them, and the others wait for it', async () => {
  await Promise.all([command(), command(), command()]);
  expect(await calls()).toBe(1);
  expect(await command()).toBe('true');
});

it('`npm run build` builds always, and the next command has nothing to build', async () => {
  await run(process.execPath, ['scripts/build.mjs'], { cwd: folder });
  await run(process.execPath, ['scripts/build.mjs'], { cwd: folder });
  expect(await command()).toBe('true');
  expect(await calls()).toBe(2);
});
