import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { CLEAN_ENVIRONMENT } from './sandbox-command';
import { Unusable } from './unusable';

/** Program → the Debian package that has it, where that has another name. */
const PACKAGES: Record<string, string> = {
  debugfs: 'e2fsprogs',
  'lxc-copy': 'lxc',
  mke2fs: 'e2fsprogs',
  newgidmap: 'uidmap',
  newuidmap: 'uidmap',
  perl: 'perl-base',
  'qemu-img': 'qemu-utils',
  'qemu-system-aarch64': 'qemu-system-arm',
  'qemu-system-i386': 'qemu-system-x86',
  'qemu-system-x86_64': 'qemu-system-x86',
  setpriv: 'util-linux',
  unshare: 'util-linux',
};

/** @throws Unusable naming the missing programs and the command that installs them */
export async function checkTools(tools: string[]): Promise<void> {
  const areInstalled = await Promise.all(tools.map(isInstalled));
  const missing = tools.filter((_, index) => !areInstalled[index]);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((tool) => PACKAGES[tool] ?? tool))].join(' ');
  throw new Unusable(
    `${missing.join(', ')} missing: apt-get install --no-install-recommends ${packages} (as root)`,
  );
}

async function isInstalled(tool: string): Promise<boolean> {
  for (const folder of CLEAN_ENVIRONMENT.PATH.split(':')) {
    const isThere = await access(join(folder, tool), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return true;
  }
  return false;
}
