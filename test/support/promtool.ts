import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Home, unpackDebianPackage } from '@proctor/embedded';

const run = promisify(execFile);

/** Of a program of Debian's package prometheus, which is fetched once to where `npm start` keeps such packages, without root. */
export async function prometheusProgram(name: 'promtool' | 'prometheus'): Promise<string> {
  const { path } = await Home.findHome(process.env, process.cwd());
  const folder = join(path, 'prometheus-package');
  const program = join(folder, 'usr/bin', name);
  await access(program).catch(() => unpackDebianPackage('prometheus', folder));
  return program;
}

/** What promtool says. @throws with it when it finds a mistake */
export async function promtool(...args: string[]): Promise<string> {
  const { stdout, stderr } = await run(await prometheusProgram('promtool'), args);
  return stdout + stderr;
}

/** What promtool has against metrics in the text format; empty: nothing. */
export async function faultsOfMetrics(text: string): Promise<string> {
  const checking = run(await prometheusProgram('promtool'), ['check', 'metrics']);
  checking.child.stdin!.end(text);
  return checking.then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}
