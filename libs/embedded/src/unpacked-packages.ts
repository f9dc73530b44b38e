import { access, chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommandFailed, runCommand } from './command';
import { explainMirror, nonInteractive } from './debian-packages';

/** Debian's own archive, for machines without a mirror. */
const DEFAULT_MIRROR = 'http://deb.debian.org/debian/';
const KEYRINGS = ['gpg', 'pgp'].map((end) => `/usr/share/keyrings/debian-archive-keyring.${end}`);

/** The lists of a release have 10 MB. */
const RELEASE_TIMEOUT_MS = 180_000;

/** Checks an unpacked package before it is moved to its place. */
type Check = (unpacked: string) => Promise<unknown>;

/**
 * Downloads a package from the machine's own Debian mirror (apt checks signatures and hashes) and unpacks it to
 * `folder`, without root.
 */
export async function unpackDebianPackage(name: string, folder: string, check?: Check): Promise<void> {
  const fetch = async (work: string): Promise<string> => {
    await downloadPackages(work, [], ['download', name]);
    return work;
  };
  await unpack(folder, fetch, check);
}

/** Unpacks packages and their missing dependencies; nothing is configured. */
export async function unpackWithDependencies(names: string[], folder: string): Promise<void> {
  await unpack(folder, async (work) => {
    const cache = join(work, 'cache');
    await mkdir(join(cache, 'archives/partial'), { recursive: true });
    // Apt's lock protects the system, which does not change.
    const settings = ['-o', `Dir::Cache=${cache}`, '-o', 'Debug::NoLocking=true'];
    await downloadPackages(work, settings, [
      'install',
      '--download-only',
      '--yes',
      '--no-remove',
      '--no-install-recommends',
      ...names,
    ]);
    return join(cache, 'archives');
  });
}

/**
 * Unpacks one package of any Debian release, for the machine's architecture. The release's signature is checked with
 * Debian's keyring, independent of the keys that the machine's apt trusts.
 * @param release its codename, such as `trixie`
 * @throws CommandFailed, or Error if there is no keyring; `folder` is then unchanged
 */
export async function unpackFromRelease(
  name: string,
  release: string,
  folder: string,
  check?: Check,
): Promise<void> {
  const fetch = async (work: string): Promise<string> => {
    const lists = [...(await privateLists(work)), ...(await releaseSource(work, release))];
    const options = { cwd: work, env: nonInteractive(), timeout: RELEASE_TIMEOUT_MS };
    for (const words of [['update'], ['download', name]])
      await runCommand('apt-get', [...SANDBOX, ...lists, ...words], options);
    return work;
  };
  await unpack(folder, fetch, check);
}

/** Settings with which apt uses only this release, and only signed files. */
async function releaseSource(work: string, release: string): Promise<string[]> {
  const keyring = await archiveKeyring();
  // This downloads nothing, and works also without lists.
  const addresses = await runCommand('apt-get', ['-o', 'Debug::NoLocking=true', 'update', '--print-uris'], {
    env: nonInteractive(),
  });
  const file = join(work, 'sources.list');
  const options = `signed-by=${keyring} target=Packages lang=none`;
  await writeFile(file, `deb [${options}] ${debianMirror(addresses)} ${release} main\n`);
  const settings = {
    'Dir::Etc::sourcelist': file,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'APT::Default-Release': '',
    'APT::Get::AllowUnauthenticated': 'false',
    'Acquire::AllowInsecureRepositories': 'false',
    'Acquire::AllowWeakRepositories': 'false',
    'Acquire::AllowDowngradeToInsecureRepositories': 'false',
    'APT::Update::Error-Mode': 'any',
    'Acquire::Retries': '1',
    'Acquire::http::Timeout': '10',
    'Acquire::https::Timeout': '10',
  };
  return Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
}

async function archiveKeyring(): Promise<string> {
  for (const file of KEYRINGS) {
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  throw new Error(`${KEYRINGS[0]} is missing: the package debian-archive-keyring has it`);
}

/** @param addresses of the files of the machine's sources, from `apt-get update --print-uris` */
export function debianMirror(addresses: string): string {
  return /^'(https?:\/\/\S+\/debian\/)dists\//m.exec(addresses)?.[1] ?? DEFAULT_MIRROR;
}

/** @param fetch downloads packages, given a folder to work in, and returns their folder */
async function unpack(
  folder: string,
  fetch: (work: string) => Promise<string>,
  check: Check = () => Promise.resolve(),
): Promise<void> {
  const parent = dirname(folder);
  const newFolder = await mkdir(parent, { recursive: true });
  // Another user may run the unpacked program, whatever our umask.
  if (newFolder !== undefined) await chmod(parent, 0o711);
  const work = await mkdtemp(`${folder}.`);
  try {
    const archives = await fetch(work);
    const files = (await readdir(archives)).filter((entry) => entry.endsWith('.deb'));
    if (files.length === 0) throw new Error(`apt-get left no package in ${archives}`);
    const unpacked = join(work, 'unpacked');
    for (const file of files) await runCommand('dpkg-deb', ['-x', join(archives, file), unpacked]);
    await chmod(unpacked, 0o755);
    await check(unpacked);
    await replace(folder, unpacked, join(work, 'replaced'));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Another process may do the same now: one complete result stays. */
async function replace(folder: string, unpacked: string, aside: string): Promise<void> {
  await rename(folder, aside).catch(unless('ENOENT'));
  await rename(unpacked, folder).catch(unless('ENOTEMPTY', 'EEXIST'));
}

function unless(...codes: string[]): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}

async function downloadPackages(folder: string, settings: string[], args: string[]): Promise<void> {
  const get = (more: string[], words: string[]): Promise<string> =>
    runCommand('apt-get', [...SANDBOX, ...more, ...words], { cwd: folder, env: nonInteractive() });
  try {
    await get(settings, args);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    // The system's package lists are empty, as in many containers, or too old: download our own lists.
    const lists = await privateLists(folder);
    const unreachable = await get(['-o', 'APT::Update::Error-Mode=any', ...lists], ['update']).then(
      () => null,
      explainMirror,
    );
    await get([...lists, ...settings], args).catch((failure: unknown) => {
      throw unreachable ?? failure;
    });
  }
}

/**
 * Options for apt as root. By default it would download as another user, who cannot write to our folder, and print a
 * warning.
 */
const SANDBOX = [
  '-o',
  'APT::Sandbox::User=root',
  '-o',
  'Acquire::Retries=2',
  '-o',
  'Acquire::http::Timeout=30',
];

async function privateLists(folder: string): Promise<string[]> {
  const [state, cache] = [join(folder, 'state'), join(folder, 'cache')];
  await mkdir(join(state, 'lists/partial'), { recursive: true });
  await mkdir(join(cache, 'archives/partial'), { recursive: true });
  const settings = { 'Dir::State': state, 'Dir::State::status': '/var/lib/dpkg/status', 'Dir::Cache': cache };
  return Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
}
