import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Home, unpackDebianPackage } from '@proctor/embedded';

const run = promisify(execFile);

/**
 * Path of a program of Debian's package prometheus. It is downloaded once, without root, to the folder in which `npm
 * start` stores packages.
 */
export async function prometheusProgram(name: 'promtool' | 'prometheus'): Promise<string> {
  const { path } = await Home.findHome(process.env, process.cwd());
  const folder = join(path, 'prometheus-package');
  const program = join(folder, 'usr/bin', name);
  await access(program).catch(() => unpackDebianPackage('prometheus', folder));
  return program;
}

/** Returns the output of promtool. @throws Error with the output if promtool finds a mistake */
export async function promtool(...args: string[]): Promise<string> {
  const { stdout, stderr } = await run(await prometheusProgram('promtool'), args);
  return stdout + stderr;
}

/** Returns promtool's complaints about metrics in the text format; empty if it has none. */
export async function faultsOfMetrics(text: string): Promise<string> {
  const checking = run(await prometheusProgram('promtool'), ['check', 'metrics']);
  checking.child.stdin!.end(text);
  return checking.then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}
