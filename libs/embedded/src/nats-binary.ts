import { access, constants } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { CommandFailed, runCommand } from './command';
import { isAtLeast, natsVersion, newest, OLDEST_NATS, SAFE_NATS } from './nats-version';
import { mayExecute, serverUser } from './server-user';
import { unpackDebianPackage, unpackFromRelease } from './unpacked-packages';

/** The Debian release whose nats-server is patched and runs on earlier releases. */
export const NATS_RELEASE = 'forky';

/** The folder of Debian's package: often not in the PATH of an ordinary user. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin'];
const IN_PACKAGE = 'usr/sbin/nats-server';
/** Variables that apt follows. */
const PROXY_VARIABLE = /^((https?|all)_proxy|(HTTPS?|ALL)_PROXY)$/;

interface NatsBinary {
  path: string;
  /** e.g. `2.9.10` */
  version: string;
}

export interface NatsSources {
  /** The path that `PROCTOR_NATS_SERVER` names. */
  ownPath?: string | undefined;
  /** Possible paths of the machine's own. */
  own: string[];
  /** The environment variables that name a proxy for downloads. */
  proxyVariables: string[];
  /** Folder for an unpacked package. */
  folder: string;
  /** Unpacks the package of a Debian release into the folder; null: of the machine's release. */
  download(release: string | null): Promise<void>;
}

type LineListener = (line: string) => void;

/** No nats-server can be used; the message says what to do. */
export class NatsServerMissing extends Error {}

/**
 * Finds the newest trusted nats-server. If `PROCTOR_NATS_SERVER` names one, that is used. Else the search goes in this
 * order: the newest patched one of this machine and of earlier downloads in `folder`; the one of Debian's forky, which
 * is downloaded without root; the newest that exists; the package of the machine's release.
 * @param onLine called with lines that say what is downloaded, which one is used and why
 * @throws NatsServerMissing if none is found
 */
export function findNatsServer(folder: string, onLine: LineListener = () => undefined): Promise<NatsBinary> {
  const variable = process.env['PROCTOR_NATS_SERVER'];
  const check = (unpacked: string): Promise<NatsBinary> => readVersion(join(unpacked, IN_PACKAGE));
  return chooseNatsServer(
    {
      ownPath: variable ? resolve(variable) : undefined,
      own: candidates(process.env['PATH'] ?? ''),
      proxyVariables: Object.keys(process.env).filter((name) => PROXY_VARIABLE.test(name)),
      folder,
      download: (release) =>
        release === null
          ? unpackDebianPackage('nats-server', folder, check)
          : unpackFromRelease('nats-server', release, folder, check),
    },
    onLine,
  );
}

/** Chooses a nats-server as `findNatsServer` does, from any sources. @throws NatsServerMissing if none is found */
export async function chooseNatsServer(sources: NatsSources, onLine: LineListener): Promise<NatsBinary> {
  if (sources.ownPath !== undefined) {
    return reportChoice(await loadNamed(sources.ownPath), ', which PROCTOR_NATS_SERVER names', onLine);
  }
  const fetched = join(sources.folder, IN_PACKAGE);
  const there = newest(await findUsable([fetched, ...sources.own]));
  const origin = there?.path === fetched ? ', fetched earlier' : ", this machine's own";
  if (there && isAtLeast(there.version, SAFE_NATS)) return reportChoice(there, origin, onLine);
  onLine(`fetching nats-server of Debian's ${NATS_RELEASE}`);
  try {
    await sources.download(NATS_RELEASE);
    return reportChoice(await loadBinary(fetched), `, fetched from Debian's ${NATS_RELEASE}`, onLine);
  } catch (error) {
    onLine(`warning: nats-server of Debian's ${NATS_RELEASE} cannot be had: ${reasonOf(error)}`);
  }
  if (there) return reportChoice(there, origin, onLine);
  try {
    await sources.download(null);
    return reportChoice(await loadBinary(fetched), ", fetched from this machine's release", onLine);
  } catch (error) {
    throw new NatsServerMissing(
      'nats-server is not installed and could not be fetched from Debian. As root, type:\n' +
        `  apt-get update && apt-get install --yes nats-server\n(${reasonOf(error)})${proxyAdvice(sources)}`,
      { cause: error },
    );
  }
}

/** The possible paths in a PATH, in order. */
export function candidates(path: string): string[] {
  const folders = [...path.split(delimiter).filter((folder) => folder !== ''), ...SYSTEM_FOLDERS];
  return [...new Set(folders)].map((folder) => join(folder, 'nats-server'));
}

function proxyAdvice({ proxyVariables }: NatsSources): string {
  const isOne = proxyVariables.length === 1;
  return proxyVariables.length === 0
    ? ''
    : `\n${proxyVariables.join(', ')} ${isOne ? 'names' : 'name'} the proxy of downloads: correct ${isOne ? 'it' : 'them'}, or type unset ${proxyVariables.join(' ')}`;
}

function reportChoice(binary: NatsBinary, why: string, onLine: LineListener): NatsBinary {
  const warning = isAtLeast(binary.version, SAFE_NATS)
    ? ''
    : `; older than ${SAFE_NATS}: for a private network only`;
  onLine(`taking nats-server ${binary.version} (${binary.path})${why}${warning}`);
  return binary;
}

async function loadNamed(path: string): Promise<NatsBinary> {
  try {
    return await loadBinary(path);
  } catch (error) {
    throw new NatsServerMissing(`PROCTOR_NATS_SERVER: ${reasonOf(error)}`, { cause: error });
  }
}

/** The binaries that exist, run and are not too old; others are skipped. */
async function findUsable(paths: string[]): Promise<NatsBinary[]> {
  const results = await Promise.allSettled(paths.map(loadBinary));
  return results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

/** @throws Error that names the path when the servers' user cannot execute it, or when it is too old */
async function loadBinary(path: string): Promise<NatsBinary> {
  const user = await serverUser();
  const isExecutable = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isExecutable) throw new Error(`${path} cannot be executed`);
  if (user && !(await mayExecute(user, path))) {
    throw new Error(`${path} cannot be executed by the user ${user.name}, which runs it for root`);
  }
  return readVersion(path);
}

/** Checks that a file runs on this machine, and reads its version. */
async function readVersion(path: string): Promise<NatsBinary> {
  const version = natsVersion(await runCommand(path, ['--version']));
  if (version === null) throw new Error(`${path} prints no version`);
  if (!isAtLeast(version, OLDEST_NATS)) {
    throw new Error(`${path} is nats-server ${version}: Proctor needs ${OLDEST_NATS} or newer`);
  }
  return { path, version };
}

/** One line: apt's first error is the cause. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = error instanceof CommandFailed ? /^E: .*/m.exec(error.output)?.[0] : undefined;
  return line ?? text.split('\n', 1)[0] ?? text;
}
