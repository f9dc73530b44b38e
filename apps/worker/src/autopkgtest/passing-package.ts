import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CanaryTest, TestRequest } from '@proctor/contracts';
import { NO_OPTIONS } from '@proctor/request-fields';

const NAME = 'proctor-trial';

/** The smallest source tree that a test runner accepts; its one test only passes. */
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

/** Writes the tree into `{folder}/passing`, for any user to read. Returns its path. */
export async function writePassingPackage(folder: string): Promise<string> {
  const tree = join(folder, 'passing');
  for (const [name, content] of Object.entries(FILES)) {
    const path = join(tree, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await chmod(path, 0o644);
  }
  for (const name of ['', 'debian', 'debian/source', 'debian/tests']) await chmod(join(tree, name), 0o755);
  return tree;
}

/** The request for its test in a testbed: nothing is pinned, added or rejected. */
export function passingRequest(testbed: Omit<CanaryTest, 'canary'>): TestRequest {
  const { suite, arch, backend, variant } = testbed;
  return {
    ...NO_OPTIONS,
    package: NAME,
    suite,
    arch,
    backend,
    variant,
    extraAptSources: [],
    rejectedVersions: [],
  };
}
