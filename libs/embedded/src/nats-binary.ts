import { access, chmod, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { runCommand } from './command';
import { unpackDebianPackage } from './debian-packages';
import { mayExecute, serverUser, type SystemUser } from './server-user';

/** Where Debian's package puts it: often not in the PATH of an ordinary user. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin'];

export interface NatsBinary {
  path: string;
  /** e.g. `2.9.10` */
  version: string;
  isFetched: boolean;
}

/** No nats-server on this machine, and none could be fetched; the message says what to type. */
export class NatsServerMissing extends Error {
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      'nats-server is not installed and could not be fetched from Debian. As root, type:\n' +
        `  apt-get update && apt-get install --yes nats-server\n(${reason})`,
      { cause },
    );
  }
}

/**
 * The nats-server of the PATH or of the system's folders; else the one that an earlier call fetched to `folder`; else
 * fetches Debian's package to it, without root.
 * @param onFetch called before something is fetched
 * @throws NatsServerMissing
 */
export async function findNatsServer(folder: string, onFetch?: () => void): Promise<NatsBinary> {
  const user = await serverUser();
  const unpacked = join(folder, 'usr/sbin/nats-server');
  for (const candidate of [...candidates(process.env['PATH'] ?? ''), unpacked]) {
    if (await isUsable(candidate, user)) return describe(candidate, candidate === unpacked);
  }
  onFetch?.();
  try {
    await unpackDebianPackage('nats-server', folder);
    await chmod(folder, 0o755);
    return await describe(unpacked, true);
  } catch (error) {
    throw new NatsServerMissing(error);
  }
}

/** The places to look at, in order, of a PATH. */
export function candidates(path: string): string[] {
  const folders = [...path.split(delimiter).filter((folder) => folder !== ''), ...SYSTEM_FOLDERS];
  return [...new Set(folders)].map((folder) => join(folder, 'nats-server'));
}

async function isUsable(file: string, user: SystemUser | null): Promise<boolean> {
  const isExecutable = await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
  return isExecutable && (user === null || (await mayExecute(user, file)));
}

async function describe(path: string, isFetched: boolean): Promise<NatsBinary> {
  const text = await runCommand(path, ['--version']);
  return { path, version: /v?(\d+\.\d+\.\d+\S*)/.exec(text)?.[1] ?? text.trim(), isFetched };
}
