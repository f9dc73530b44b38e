import { accessSync, constants, statSync } from 'node:fs';
import { delimiter } from 'node:path';
import { ambientNotices } from './ambient';

/** The mask of new files: only the owner may change them, and all users may read them. */
const UMASK = 0o022;

/** The folders in which Debian installs the programs that Proctor starts. */
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
 * Replaces inherited settings that must not change what a process does: the umask, a PATH without the system's folders,
 * a missing folder for temporary files, a proxy for this machine's own addresses, variables that make libraries print
 * secrets. Call it before anything else.
 * @returns notices for people, a line each
 */
export function settleSurroundings(env: NodeJS.ProcessEnv = process.env): string[] {
  process.umask(UMASK);
  env['PATH'] = completePath(env['PATH']);
  setNoProxy(env);
  return [...ambientNotices(env), ...removeTalkative(env), ...checkTemporaryFolder(env)];
}

/**
 * @returns notices about the removed variables: with them libraries write cookies, statements and whole addresses to
 * standard error
 */
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

/** No proxy is used for addresses of this machine. */
function setNoProxy(env: NodeJS.ProcessEnv): void {
  for (const name of ['NO_PROXY', 'no_proxy']) {
    const hosts = (env[name] ?? '').split(',').filter((host) => host.trim() !== '');
    if (hosts.includes('*')) continue;
    env[name] = [...new Set([...hosts, ...LOOPBACK])].join(',');
  }
}

/** Adds the missing folders of the system to the end of a PATH. */
export function completePath(path: string | undefined): string {
  // An empty part would mean the current folder.
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
