import { join } from 'node:path';
import type { TestRequest } from '@proctor/contracts';
import { autopkgtestCommand, type TestbedArguments } from '../autopkgtest/command';
import { passingRequest, writePassingPackage } from '../autopkgtest/passing-package';
import { endOfFile } from '../autopkgtest/plain-file';
import type { RunFolder } from '../sandbox/run-folder';
import type { Sandboxes } from '../sandbox/sandboxes';

/** This machine's own test runner. */
const RUNNER = 'autopkgtest';

const TMPFS_BYTES = 4 * 1024 ** 3;
const EXCERPT_LENGTH_MAX = 500;

/** The subject of a trial, and its time limit. */
interface TrialRequest extends Pick<TestRequest, 'suite' | 'arch' | 'backend'> {
  timeoutMs: number;
  /** Writes the files that the arguments name into the folder. */
  argumentsFor: (folder: RunFolder) => Promise<TestbedArguments>;
  signal: AbortSignal;
}

/** Proves a testbed by a run of this machine's own autopkgtest, without using an archive. */
export class Trial {
  constructor(private readonly sandboxes: Sandboxes) {}

  /** @throws Error with how the run ended, unless its test passed; the signal's reason when the signal ended it */
  async run({ suite, arch, backend, timeoutMs, argumentsFor, signal }: TrialRequest): Promise<void> {
    const folder = await this.sandboxes.createFolder(`trial-${backend}-${suite}-${arch}`);
    try {
      const subject = await writePassingPackage(folder.path);
      const testbed = await argumentsFor(folder);
      const request = passingRequest({ suite, arch, backend, variant: RUNNER });
      const command = autopkgtestCommand(request, {
        runner: [RUNNER],
        version: null,
        subject,
        outputFolder: folder.output,
        signingKeyFiles: [],
        testbed: { ...testbed, upgrade: [] },
      });
      const sandbox = await this.sandboxes.start(folder, {
        command,
        network: 'private',
        tmpfsBytes: TMPFS_BYTES,
        ...(testbed.asRoot && { asRoot: true }),
        ...(testbed.interpreters && { interpreters: testbed.interpreters }),
      });
      const kill = () => void sandbox.kill();
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      limit.addEventListener('abort', kill);
      if (limit.aborted) kill();
      const { code } = await sandbox.ending;
      limit.removeEventListener('abort', kill);
      signal.throwIfAborted();
      if (limit.aborted) throw new Error(`its trial did not end within ${timeoutMs / 1000} s`);
      if (code !== 0) throw new Error(`its trial ended with exit code ${code}: ${await reason(folder)}`);
    } finally {
      await folder.remove();
    }
  }
}

/** The last complaints of the runner. */
async function reason(folder: RunFolder): Promise<string> {
  const log = await endOfFile(join(folder.output, 'log'), 8192);
  const output = log.trim() === '' ? await endOfFile(folder.errors, 8192) : log;
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const complaints = lines.filter((line) => /failure|error|failed|cannot|timeout/i.test(line));
  return (complaints.length > 0 ? complaints : lines).slice(-3).join(' ').slice(-EXCERPT_LENGTH_MAX);
}
