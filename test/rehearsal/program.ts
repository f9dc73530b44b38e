import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Release } from './release';
import type { Stops } from './stops';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program of Node to its end. Its processes end with everything. */
export async function runProgram(
  stops: Stops,
  args: string[],
  { cwd, env = process.env }: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<Ended> {
  const output = { stdout: '', stderr: '' };
  return stops.within(async (own) => {
    const child = spawn(process.execPath, args, {
      ...{ cwd, env, detached: true },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    own.add(() => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    const [code] = (await closed) as [number | null];
    return { code, ...output };
  });
}

/** A command of `proctor`, as this release has it. @throws when it fails */
export async function proctor(
  stops: Stops,
  { name, folder }: Release,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<Ended> {
  const main = join(folder, 'dist/apps/cli/src/main.js');
  const result = await runProgram(stops, [main, ...args], { cwd: folder, env: { ...process.env, ...env } });
  if (result.code === 0) return result;
  throw new Error(`proctor ${args.join(' ')} (${name}) ended with ${result.code}: ${result.stderr.trim()}`);
}
