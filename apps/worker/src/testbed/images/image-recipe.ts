import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { asConfiguration, type AptSetting } from '../host-apt/apt-settings';
import type { SuiteSources } from '../host-apt/suite-sources';
import type { ImageShape } from './image-shape';
import { STANDARD_HOOKS, STANDARD_PACKAGES } from './standard-root';

/** Everything that decides the content of an image, except the archive's content. */
export interface ImageRecipe {
  /** All users of the machine can read it: it may hold no secret. */
  command: string[];
  /** apt.conf(5) of the build, which may hold the password of a proxy; it is not part of the image. */
  aptConfiguration: string;
  /** The image's sources.list, for the command's standard input. */
  sourcesList: string;
  finish: string | null;
}

const APT_OPTIONS = [
  'Acquire::Languages "none"',
  'Acquire::Retries "2"',
  'APT::Get::Always-Include-Phased-Updates "true"',
  // No timer of apt may hold its lock while a test needs it.
  'APT::Periodic::Enable "0"',
];

/** The package files are removed, apt's lists stay and its caches are built again: a run starts faster with them. */
const CACHES_HOOK =
  'rm -f "$1"/var/cache/apt/archives/*.deb "$1"/var/cache/apt/*.bin; chroot "$1" apt-cache gencaches';

/** Runs, and virtual machines within them, have a network of their own with the name server at this address. */
const NAME_SERVER_HOOK = 'rm -f "$1/etc/resolv.conf"; echo "nameserver 10.0.2.3" >"$1/etc/resolv.conf"';

/** Every run adds the machine's settings; users of the machine may read an image, so these are removed. */
const BUILD_SETTINGS = '/etc/apt/apt.conf.d/99proctor-build';
const DROP_SETTINGS_HOOK = `rm "$1"${BUILD_SETTINGS}`;

/** How an image is built with mmdebstrap. */
export function imageRecipe(
  suite: string,
  arch: string,
  shape: ImageShape,
  { lines, keys }: SuiteSources,
  settings: AptSetting[],
): ImageRecipe {
  const command = [
    'mmdebstrap',
    '--mode=unshare',
    '--variant=minbase',
    `--architectures=${arch}`,
    `--include=${[...STANDARD_PACKAGES, ...shape.packages(arch)].join(',')}`,
    ...APT_OPTIONS.map((option) => `--aptopt=${option}`),
    '--dpkgopt=force-unsafe-io',
    // The last one would empty the machine id again.
    '--skip=cleanup/apt/lists,cleanup/apt/cache,cleanup/reproducible',
    ...keys.flatMap(({ path }) => keyHooks(path)),
    ...[...STANDARD_HOOKS, ...shape.hooks].map((hook) => `--customize-hook=${hook}`),
    `--customize-hook=${CACHES_HOOK}`,
    `--customize-hook=${NAME_SERVER_HOOK}`,
    `--customize-hook=${DROP_SETTINGS_HOOK}`,
    suite,
    '-',
    // Sources from standard input become /etc/apt/sources.list, the only file that older versions of autopkgtest read.
    '-',
  ];
  return {
    command,
    aptConfiguration: asConfiguration(settings).join('\n') + '\n',
    sourcesList: lines.join('\n') + '\n',
    finish: shape.finish,
  };
}

/**
 * The command that writes the image to its standard output. `aptConfiguration`: path of the file with the recipe's
 * configuration; only the user of the command needs to read it: mmdebstrap opens it before it maps its ids.
 */
export function buildCommand(
  { command: [tool = '', ...args] }: ImageRecipe,
  aptConfiguration: string,
): string[] {
  const path = aptConfiguration.replaceAll("'", "'\\''");
  return [tool, `--setup-hook=upload '${path}' ${BUILD_SETTINGS}`, ...args];
}

/** A text that changes when the suite would be built in another way. */
export function fingerprint({ command, aptConfiguration, sourcesList, finish }: ImageRecipe): string {
  return createHash('sha256')
    .update(JSON.stringify([command, aptConfiguration, sourcesList, finish]))
    .digest('hex');
}

/**
 * A text that changes when this release puts other packages or files into an image than the one that built it, whatever
 * the sources.
 */
export function definition(arch: string, shape: ImageShape): string {
  return fingerprint(imageRecipe('', arch, shape, { lines: [], keys: [] }, []));
}

/** Hooks are shell commands: a path with unusual characters is refused. */
function keyHooks(path: string): string[] {
  if (!/^\/[\w./+-]+$/.test(path))
    throw new Error(`the key file ${JSON.stringify(path)} has an unusual path`);
  return [`--setup-hook=mkdir -p "$1${dirname(path)}"`, `--setup-hook=upload ${path} ${path}`];
}
