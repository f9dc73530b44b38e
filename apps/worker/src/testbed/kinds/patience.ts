import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunFolder } from '../../sandbox/run-folder';

const PATIENCE_S = 120;

/**
 * Python imports this module when it starts. autopkgtest's virtualisation servers give a testbed 1 to 30 s for each
 * answer, and end with a traceback after that: too few on busy processors. All these limits use this one call. The
 * runner's own limits use it too, and stay unchanged.
 */
const PATIENCE = `import os, signal, sys
alarm = signal.alarm
def patient(seconds):
    is_server = os.path.basename((getattr(sys, 'argv', None) or [''])[0]).startswith('autopkgtest-virt-')
    return alarm(max(seconds, ${PATIENCE_S}) if seconds and is_server else seconds)
signal.alarm = patient
`;

/**
 * A script for rootedCommand whose first argument is the result of writePatience. Testbeds do not get its variable:
 * their servers clear the environment.
 */
export const PATIENTLY = `
export PYTHONPATH="$1"
shift
`;

/** @returns the folder of Python modules, which ends with the run's */
export async function writePatience(folder: RunFolder): Promise<string> {
  const path = join(folder.path, 'python');
  await mkdir(path);
  await chmod(path, 0o755);
  await writeFile(join(path, 'sitecustomize.py'), PATIENCE, { mode: 0o644 });
  return path;
}
