import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from '@proctor/config';
import type { Home } from '@proctor/embedded';

/** Shorter ones would hide words that are none. */
const SECRET_LENGTH_MIN = 6;
const SECRET_NAMES = /PASSWORD|SECRET|TOKEN|KEY|SEED|HEADERS/i;
const HIDDEN = '[hidden]';

/** What must leave this machine in no archive: everything secret that this machine knows of. */
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
  const texts = (await Promise.all(files.map(textIn))).filter((text) => text !== '');
  const named = Object.entries(env).flatMap(([name, value]) =>
    SECRET_NAMES.test(name) && value ? [value] : [],
  );
  const addresses = [...texts, ...Object.values(env)].flatMap((text) => passwordsIn(text ?? ''));
  const all = [...texts, ...texts.flatMap(seedsIn), ...named, ...addresses];
  return [...new Set(all)]
    .filter((text) => text.length >= SECRET_LENGTH_MIN)
    .sort((a, b) => b.length - a.length);
}

/** The text without them. */
export function hideSecrets(text: string, secrets: string[]): string {
  return secrets
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text)
    .replace(/(\/\/[^/\s:@"]+:)[^/\s@"]+@/g, `$1${HIDDEN}@`);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** What cannot be read cannot get into an archive either. */
async function textIn(file: string): Promise<string> {
  return (await readFile(file, 'utf8').catch(() => '')).trim();
}

/** Of credentials files. */
function seedsIn(text: string): string[] {
  return [...text.matchAll(/"seed":\s*"([^"]+)"/g)].map(([, seed = '']) => seed);
}

function passwordsIn(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { password } = new URL(address);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    // It has a percent sign of its own.
    return [password];
  }
}
