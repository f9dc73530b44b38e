import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { asRunUser, CLEAN_ENVIRONMENT } from './sandbox-command';
import type { RunAccount, RunUser, SubordinateIds } from './run-user';
import { Unusable } from './unusable';

const execute = promisify(execFile);

/** The user that a worker started by root becomes for everything that touches a test. */
const RUN_USER_NAME = 'proctor-worker';

const TUN = '/dev/net/tun';

/** autopkgtest maps the users of a whole system into a testbed. */
const SUBORDINATE_IDS_MIN = 65_536;

/** The first entry of subuid(5) or subgid(5) for a user: unshare and newuidmap both use this one. */
export function subordinateIds(text: string, name: string, uid: number): SubordinateIds | null {
  for (const line of text.split('\n')) {
    const [owner, start, count] = line.trim().split(':');
    if (owner === name || owner === String(uid)) return { start: Number(start), count: Number(count) };
  }
  return null;
}

/**
 * Finds the user that tests run as; root creates it if it is missing.
 * @throws Unusable if the user cannot be created, has too few subordinate ids, or, unless root has started the worker, may not open /dev/net/tun
 */
export async function findRunUser(): Promise<RunUser> {
  const account = await findAccount();
  const { name, uid } = account;
  const subUids = subordinateIds(await textOf('/etc/subuid'), name, uid);
  const subGids = subordinateIds(await textOf('/etc/subgid'), name, uid);
  if (!subUids || !subGids || subUids.count < SUBORDINATE_IDS_MIN || subGids.count < SUBORDINATE_IDS_MIN) {
    throw new Unusable(
      `user ${name} has no ${SUBORDINATE_IDS_MIN} subordinate ids: ` +
        `usermod --add-subuids 200000-265535 --add-subgids 200000-265535 ${name} (choose a free range)`,
    );
  }
  const opensTun = await canExecute(account, ['test', '-w', TUN]);
  if (!opensTun && !account.switched) {
    throw new Unusable(
      `user ${name} may not open ${TUN}: chmod 0666 ${TUN} (as root; if the file is missing, run modprobe tun first)`,
    );
  }
  return { ...account, subUids, subGids, opensTun };
}

/** Whether a command run as that user ends with 0. */
export async function canExecute(account: RunAccount, command: string[]): Promise<boolean> {
  const [program = '', ...args] = [...asRunUser(account), ...command];
  return execute(program, args, { env: CLEAN_ENVIRONMENT, cwd: '/' }).then(
    () => true,
    () => false,
  );
}

async function findAccount(): Promise<RunAccount> {
  const self = userInfo();
  if (self.uid !== 0) return { name: self.username, uid: self.uid, gid: self.gid, switched: false };
  return (await loadAccount(RUN_USER_NAME)) ?? (await createAccount(RUN_USER_NAME));
}

async function loadAccount(name: string): Promise<RunAccount | null> {
  const { stdout } = await execute('getent', ['passwd', name]).catch((error: { code?: unknown }) => {
    if (error.code === 2) return { stdout: '' };
    throw error;
  });
  const [entry, , uid, gid] = stdout.trim().split(':');
  return entry ? { name: entry, uid: Number(uid), gid: Number(gid), switched: true } : null;
}

/** An ordinary account, since only those get subordinate ids from useradd. It can neither log in nor keep files. */
async function createAccount(name: string): Promise<RunAccount> {
  const options = ['--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin'];
  await execute('/usr/sbin/useradd', [...options, '--comment', 'Proctor test runs', name]);
  const user = await loadAccount(name);
  if (!user) throw new Unusable(`useradd created no user ${name}`);
  return user;
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}
