import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkerConfiguration } from '@proctor/config';
import type { Lease, TestbedImage, TestRequest } from '@proctor/contracts';
import { autopkgtestCommand } from '../autopkgtest/command';
import { sourceLogins } from '../autopkgtest/source-logins';
import type { RunFolder } from '../sandbox/run-folder';
import type { SandboxUse } from '../sandbox/sandbox';
import type { Backend } from '../testbed/backend';
import type { Testbeds } from '../testbed/testbeds';
import { attemptTimeoutMs, packageTimeoutMs } from './attempt-timeout';
import type { PackLimits } from './result-files';
import { sandboxUse, type RunLimits } from './sandbox-use';

/** The settings of an attempt from start to end. */
export interface RunnerSettings
  extends
    PackLimits,
    RunLimits,
    Pick<
      WorkerConfiguration,
      'runTimeoutMs' | 'timeouts' | 'environment' | 'runOutputBytesMax' | 'changelogBytesMax'
    > {
  /** The outbox's folder: results are packed where they will be saved. */
  resultsPath: string;
}

/** One attempt, ready to execute. */
export interface PreparedAttempt {
  lease: Lease;
  folder: RunFolder;
  use: SandboxUse;
  /** The image of its testbed, if any. */
  image: TestbedImage | undefined;
  /** Wall-clock limit in milliseconds. */
  limitMs: number;
  settings: RunnerSettings;
}

/**
 * Writes the files that the test runner reads into the folder, and builds its command.
 * @throws NotStarted when the machine has no such backend or variant
 * @throws UnsafeRequest when the command is too long, or a login cannot be passed to apt
 */
export async function prepareAttempt(
  lease: Lease,
  folder: RunFolder,
  testbeds: Testbeds,
  settings: RunnerSettings,
): Promise<PreparedAttempt> {
  const backend = testbeds.backend(lease.backend);
  const { command: runner, version } = testbeds.runner(lease.variant);
  const testbed = await backend.use(lease.suite, lease.arch, folder);
  const testTimeoutMs = packageTimeoutMs(settings, lease.package);
  const command = autopkgtestCommand(lease, {
    runner,
    version,
    subject: lease.package,
    outputFolder: folder.output,
    signingKeyFiles: await writeKeys(lease, folder),
    loginsFile: await writeLogins(lease, folder),
    testbed,
    pinNames: await pinNamesOf(lease, backend),
    environment: settings.environment,
    ...(testTimeoutMs !== undefined && { testTimeoutMs }),
  });
  const limitMs = attemptTimeoutMs(settings, lease.package);
  const use = sandboxUse(command, testbed, settings);
  return { lease, folder, use, image: testbed.image, limitMs, settings };
}

async function pinNamesOf({ suite, pinPackages, extraAptSources }: TestRequest, backend: Backend) {
  const extraLines = extraAptSources.flatMap(({ lines }) => lines);
  const pinned = pinPackages.map(([, suite]) => suite);
  const names = pinned.length === 0 ? undefined : await backend.pinNames?.(suite, pinned, extraLines);
  return names ?? new Map<string, string>();
}

async function writeLogins(request: TestRequest, folder: RunFolder): Promise<string | undefined> {
  const { logins } = sourceLogins(request);
  return logins.length === 0 ? undefined : folder.writePrivate('logins', `${logins.join('\n')}\n`);
}

async function writeKeys(request: TestRequest, folder: RunFolder): Promise<string[]> {
  const files: string[] = [];
  for (const { signingKey } of request.extraAptSources) {
    if (signingKey === undefined) continue;
    const file = join(folder.path, `source-${files.length}.asc`);
    await writeFile(file, signingKey, { mode: 0o644 });
    files.push(file);
  }
  return files;
}
