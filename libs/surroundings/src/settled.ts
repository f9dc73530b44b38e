import { accessSync, constants, statSync } from 'node:fs';
import { delimiter } from 'node:path';
import { ambientNotices } from './ambient';

/** Files are the owner's to change and everybody's to read, where their own mode does not say otherwise. */
const UMASK = 0o022;

/** Where Debian keeps the programs that Proctor starts. */
const PROGRAM_FOLDERS = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
] as const;

const TALKATIVE = ['DEBUG', 'NODE_DEBUG', 'NODE_DEBUG_NATIVE'] as const;

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/**
 * Replaces what a process inherits from whoever started it, and what must not change what it does: the umask, a PATH without the
 * folders of the system, a folder for temporary files that is not there, a proxy for this machine's own addresses, variables that make libraries
 * write down what is secret. To be called before anything else.
 * @returns what people should know, a line each
 */
export function settleSurroundings(env: NodeJS.ProcessEnv = process.env): string[] {
  process.umask(UMASK);
  env['PATH'] = completePath(env['PATH']);
  setNoProxy(env);
  return [...ambientNotices(env), ...removeTalkative(env), ...checkTemporaryFolder(env)];
}

/** @returns what is dropped: with it libraries write cookies, statements and whole addresses to standard error */
function removeTalkative(env: NodeJS.ProcessEnv): string[] {
  const names = TALKATIVE.filter((name) => env[name]);
  for (const name of TALKATIVE) delete env[name];
  if (names.length === 0) return [];
  return [`${names.join(', ')}: not used: libraries would write cookies and keys in addresses to the log`];
}

function checkTemporaryFolder(env: NodeJS.ProcessEnv): string[] {
  const folder = env['TMPDIR'];
  if (!folder || isWritableFolder(folder)) return [];
  delete env['TMPDIR'];
  return [
    `TMPDIR: ${folder} is not a folder that this user may write to; temporary files go to /tmp. Type: unset TMPDIR`,
  ];
}

/** No proxy is asked for what is on this machine. */
function setNoProxy(env: NodeJS.ProcessEnv): void {
  for (const name of ['NO_PROXY', 'no_proxy']) {
    const hosts = (env[name] ?? '').split(',').filter((host) => host.trim() !== '');
    if (hosts.includes('*')) continue;
    env[name] = [...new Set([...hosts, ...LOOPBACK])].join(',');
  }
}

/** A PATH with the folders of the system at its end, where it lacks them. */
export function completePath(path: string | undefined): string {
  // An empty part would mean the folder where one stands.
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...new Set([...folders, ...PROGRAM_FOLDERS])].join(delimiter);
}

function isWritableFolder(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
