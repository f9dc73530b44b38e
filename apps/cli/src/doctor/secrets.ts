import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from '@proctor/config';
import type { Home } from '@proctor/embedded';

/** Minimum length of a hidden secret: hiding shorter ones would also hide ordinary words. */
const SECRET_LENGTH_MIN = 6;
const SECRET_NAMES = /PASSWORD|SECRET|TOKEN|KEY|SEED|HEADERS/i;
const HIDDEN = '[hidden]';

/** All secrets that this machine has. None of them may be in an archive that leaves it. */
export async function knownSecrets(
  home: Home,
  configuration: Configuration | null,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const files = [
    home.adminKey,
    home.adminPassword,
    home.databaseUrl,
    ...(await filesBelow(home.secret('.'))),
  ];
  for (const name of ['PROCTOR_NATS_CREDENTIALS', 'PROCTOR_NATS_USERS']) {
    const path = env[name];
    if (path) files.push(path, ...(await filesBelow(path)));
  }
  const providers = configuration?.server.login.providers ?? [];
  files.push(...providers.flatMap(({ clientSecretFile }) => clientSecretFile ?? []));
  files.push(...[configuration?.server.mail?.passwordFile ?? []].flat());
  const texts = (await Promise.all(files.map(textIn))).filter((text) => text !== '');
  const fromEnvironment = Object.entries(env).flatMap(([name, value]) =>
    SECRET_NAMES.test(name) && value ? [value] : [],
  );
  const addresses = [...texts, ...Object.values(env)].flatMap((text) => passwordsIn(text ?? ''));
  const all = [...texts, ...texts.flatMap(seedsIn), ...fromEnvironment, ...addresses];
  return [...new Set(all)]
    .filter((text) => text.length >= SECRET_LENGTH_MIN)
    .sort((a, b) => b.length - a.length);
}

/** Returns the text with all secrets replaced. */
export function hideSecrets(text: string, secrets: string[]): string {
  return secrets
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text)
    .replace(/(\/\/[^/\s:@"]+:)[^/\s@"]+@/g, `$1${HIDDEN}@`);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** The content of a file; empty if it cannot be read, since it cannot be in an archive then either. */
async function textIn(file: string): Promise<string> {
  return (await readFile(file, 'utf8').catch(() => '')).trim();
}

/** The seeds in a credentials file. */
function seedsIn(text: string): string[] {
  return [...text.matchAll(/"seed":\s*"([^"]+)"/g)].map(([, seed = '']) => seed);
}

function passwordsIn(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { password } = new URL(address);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    // The password contains a plain percent sign.
    return [password];
  }
}
