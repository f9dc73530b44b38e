import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CanaryTest, Lease } from '@proctor/contracts';

const NAME = 'proctor-canary';

/** The smallest source tree that a test runner takes; its one test does nothing but pass. */
const FILES: Record<string, string> = {
  'debian/changelog': `${NAME} (1.0) unstable; urgency=low

  * A test of the machine.

 -- Proctor <proctor@localhost>  Thu, 01 Jan 2026 00:00:00 +0000
`,
  'debian/control': `Source: ${NAME}
Section: misc
Priority: optional
Maintainer: Proctor <proctor@localhost>
Standards-Version: 4.6.2

Package: ${NAME}
Architecture: all
Description: test of the machine
 Its one test does nothing but pass.
`,
  'debian/source/format': '3.0 (native)\n',
  // Without Depends the runner would install the binary package.
  'debian/tests/control': 'Test-Command: true\nDepends:\n',
};

/** Writes the tree into `{folder}/canary`, for any user to read. Returns its path. */
export async function writeCanaryTree(folder: string): Promise<string> {
  const tree = join(folder, 'canary');
  for (const [name, content] of Object.entries(FILES)) {
    const path = join(tree, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await chmod(path, 0o644);
  }
  for (const name of ['', 'debian', 'debian/source', 'debian/tests']) await chmod(join(tree, name), 0o755);
  return tree;
}

/** What the test runner's command is made of; nothing else of it is ever used. */
export function canaryLease({ suite, arch, backend, variant }: CanaryTest): Lease {
  const testbed = { suite, arch, backend, variant };
  const empty = { trigger: null, pinPackages: [], extraAptSources: [], rejectedVersions: [] };
  const unused = { runId: 0, attempt: 0, grantEpoch: 0, ttlMs: 0, renewEveryMs: 0 };
  return { ...unused, package: NAME, ...testbed, ...empty };
}
