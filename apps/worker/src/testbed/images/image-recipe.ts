import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { AptSetting } from '../host-apt/apt-settings';
import type { SuiteSources } from '../host-apt/suite-sources';
import type { ImageShape } from './image-shape';

/** Everything that decides what an image holds, but the archive's own content. */
export interface ImageRecipe {
  command: string[];
  /** The image's sources.list, fed to the command's standard input. */
  sourcesList: string;
  /** The shape's. */
  finish: string | null;
}

const PACKAGES = ['apt-utils', 'ca-certificates', 'dpkg-dev', 'eatmydata', 'python3-minimal'];

const APT_OPTIONS = [
  'Acquire::Languages "none"',
  'Acquire::Retries "2"',
  'APT::Get::Always-Include-Phased-Updates "true"',
];

/** The package files go, apt's lists stay and its caches are made anew: a run starts faster with them. */
const CACHES_HOOK =
  'rm -f "$1"/var/cache/apt/archives/*.deb "$1"/var/cache/apt/*.bin; chroot "$1" apt-cache gencaches';

/** Runs have a network of their own, with the name server at this address; so have virtual machines within them. */
const NAME_SERVER_HOOK = 'rm -f "$1/etc/resolv.conf"; echo "nameserver 10.0.2.3" >"$1/etc/resolv.conf"';

/** The mmdebstrap command that writes an image to its standard output. */
export function imageRecipe(
  suite: string,
  arch: string,
  shape: ImageShape,
  { lines, keys }: SuiteSources,
  settings: AptSetting[],
): ImageRecipe {
  const options = [...APT_OPTIONS, ...settings.map(({ name, value }) => `${name} "${value}"`)];
  const command = [
    'mmdebstrap',
    '--mode=unshare',
    '--variant=minbase',
    `--architectures=${arch}`,
    `--include=${[...PACKAGES, ...shape.packages(arch)].join(',')}`,
    ...options.map((option) => `--aptopt=${option}`),
    '--dpkgopt=force-unsafe-io',
    '--dpkgopt=path-exclude=/usr/share/man/*',
    '--skip=cleanup/apt/lists,cleanup/apt/cache',
    ...keys.flatMap(({ path }) => keyHooks(path)),
    ...shape.hooks.map((hook) => `--customize-hook=${hook}`),
    `--customize-hook=${CACHES_HOOK}`,
    `--customize-hook=${NAME_SERVER_HOOK}`,
    suite,
    '-',
    // Sources on standard input become /etc/apt/sources.list, the only file that older autopkgtest reads.
    '-',
  ];
  return { command, sourcesList: lines.join('\n') + '\n', finish: shape.finish };
}

/** Changes when the same suite would be built in another way. */
export function fingerprint({ command, sourcesList, finish }: ImageRecipe): string {
  return createHash('sha256')
    .update(JSON.stringify([command, sourcesList, finish]))
    .digest('hex');
}

/** Hooks are shell commands: a path with anything unusual in it is refused. */
function keyHooks(path: string): string[] {
  if (!/^\/[\w./+-]+$/.test(path))
    throw new Error(`the key file ${JSON.stringify(path)} has an unusual path`);
  return [`--setup-hook=mkdir -p "$1${dirname(path)}"`, `--setup-hook=upload ${path} ${path}`];
}
