import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestbedArguments } from '../autopkgtest/command';
import { endOfFile } from '../autopkgtest/plain-file';
import type { RunFolder } from '../sandbox/run-folder';
import type { Sandboxes } from '../sandbox/sandboxes';

const TMPFS_BYTES = 4 * 1024 ** 3;
const REASON_LENGTH_MAX = 500;

/** A source package with a test of one line. */
const TREE: Record<string, string> = {
  'debian/changelog':
    'trial (1) unstable; urgency=low\n\n  * Trial.\n\n -- Proctor <proctor@localhost>  Thu, 01 Jan 2026 00:00:00 +0000\n',
  'debian/control':
    'Source: trial\nSection: misc\nPriority: optional\nMaintainer: Proctor <proctor@localhost>\n\n' +
    'Package: trial\nArchitecture: all\nDescription: trial of a testbed\n',
  'debian/tests/control': 'Test-Command: echo passed\nDepends:\n',
};

export interface TrialOrder {
  /** Of its folder. */
  name: string;
  timeoutMs: number;
  /** Files that the arguments name are put into the folder. */
  argumentsFor: (folder: RunFolder) => Promise<TestbedArguments>;
  signal: AbortSignal;
}

/** Proves a testbed by a run of this machine's own autopkgtest, without an archive. */
export class Trial {
  constructor(private readonly sandboxes: Sandboxes) {}

  /** @throws Error that says how the run ended, unless its test passed; the signal's reason when that ended it */
  async run({ name, timeoutMs, argumentsFor, signal }: TrialOrder): Promise<void> {
    const folder = await this.sandboxes.createFolder(`trial-${name}`);
    try {
      const tree = await writeTree(folder);
      const { wrapper = [], server, options, cgroup, interpreters } = await argumentsFor(folder);
      const out = ['--no-built-binaries', '--output-dir', folder.output];
      const command = [...wrapper, 'autopkgtest', ...out, ...options, tree, '--', ...server];
      const sandbox = await this.sandboxes.start(folder, {
        command,
        network: 'private',
        tmpfsBytes: TMPFS_BYTES,
        ...(cgroup && { cgroup }),
        ...(interpreters && { interpreters }),
      });
      const kill = () => void sandbox.kill();
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      limit.addEventListener('abort', kill);
      if (limit.aborted) kill();
      const { code } = await sandbox.ended;
      limit.removeEventListener('abort', kill);
      signal.throwIfAborted();
      if (limit.aborted) throw new Error(`its trial did not end within ${timeoutMs / 1000} s`);
      if (code !== 0) throw new Error(`its trial ended with exit code ${code}: ${await reason(folder)}`);
    } finally {
      await folder.remove();
    }
  }
}

async function writeTree(folder: RunFolder): Promise<string> {
  const tree = join(folder.path, 'tree');
  for (const [name, content] of Object.entries(TREE)) {
    await mkdir(dirname(join(tree, name)), { recursive: true });
    await writeFile(join(tree, name), content);
    await chmod(join(tree, name), 0o644);
  }
  for (const path of ['', 'debian', 'debian/tests']) await chmod(join(tree, path), 0o755);
  return tree;
}

/** What the runner complained of last. */
async function reason(folder: RunFolder): Promise<string> {
  const log = await endOfFile(join(folder.output, 'log'), 8192);
  const said = log.trim() === '' ? await endOfFile(folder.errors, 8192) : log;
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const complaints = lines.filter((line) => /failure|error|failed|cannot|timeout/i.test(line));
  return (complaints.length > 0 ? complaints : lines).slice(-3).join(' ').slice(-REASON_LENGTH_MAX);
}
