import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** A secret text, and its name for people. */
export type Secret = readonly [what: string, text: string];

/** A text that a user or a log got, and where. */
export type Output = readonly [where: string, text: string];

/** Lists the secrets that appear in the outputs, a line each; no line contains the secret itself. */
export function shownSecrets(secrets: readonly Secret[], outputs: readonly Output[]): string[] {
  return secrets.flatMap(([what, secret]) => {
    if (secret.length < 8) throw new Error(`${what} is too short to be looked for`);
    return outputs.filter(([, text]) => text.includes(secret)).map(([where]) => `${what}: ${where}`);
  });
}

/** @throws Error naming the secrets that were shown */
export function requireNoneShown(secrets: readonly Secret[], outputs: readonly Output[]): void {
  const secretsShown = shownSecrets(secrets, outputs);
  if (secretsShown.length > 0) throw new Error(`secrets were shown: ${secretsShown.join(', ')}`);
}

/** The seeds of the users of NATS whose credentials files lie in a folder. */
export async function seedsIn(folder: string): Promise<Secret[]> {
  const names = (await filesIn(folder)).filter((name) => name.endsWith('.json'));
  return Promise.all(
    names.map(async (name): Promise<Secret> => {
      const { seed } = JSON.parse(await readFile(join(folder, name), 'utf8')) as { seed: string };
      return [`seed of ${basename(name, '.json')}`, seed];
    }),
  );
}

/** Empty when there is no such folder. */
async function filesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
}

/** The content of files that need not exist. */
export async function contentsOf(paths: string[]): Promise<Output[]> {
  const all = await Promise.all(
    paths.map((path) =>
      readFile(path, 'utf8').then(
        (text): Output[] => [[path, text]],
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
          return [];
        },
      ),
    ),
  );
  return all.flat();
}

/** The command lines that everybody on this machine can read. */
export function commandLines(): Output[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid): Output[] => {
      try {
        return [[`command line of ${pid}`, readFileSync(`/proc/${pid}/cmdline`, 'utf8')]];
      } catch (error) {
        if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
        return [];
      }
    });
}
