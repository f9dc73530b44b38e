import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A user of this machine, under whose rights a program is executed. */
export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

export interface CommandOptions {
  /** Runs as this user; null or absent: as ourselves. */
  user?: SystemUser | null;
  cwd?: string;
  /** Instead of our own environment. */
  env?: NodeJS.ProcessEnv;
  /** What it reads from standard input. */
  input?: string;
  /** In its own process group: Ctrl-C in the terminal does not reach it. */
  detached?: boolean;
  /** Milliseconds after which it is ended. */
  timeout?: number;
  /** Is given each line of its standard output as it comes. */
  onLine?: (line: string) => void;
}

/** A program that could not be started, or that ended with anything but exit code 0. */
export class CommandFailed extends Error {
  constructor(
    command: string,
    how: string,
    readonly output: string,
  ) {
    super(`${command}: ${how}${output ? `: ${lastLines(output, 5)}` : ''}`);
  }
}

/**
 * Runs a program to its end.
 * @returns its standard output
 * @throws CommandFailed with the last lines that it wrote
 */
export function runCommand(program: string, args: string[], options: CommandOptions = {}): Promise<string> {
  const { user, input, onLine, ...rest } = options;
  const child = spawn(program, args, { ...rest, ...ids(user), stdio: ['pipe', 'pipe', 'pipe'] });
  const command = [program, ...args].slice(0, 3).join(' ');
  let stdout = '';
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  if (onLine) createInterface({ input: child.stdout }).on('line', onLine);
  // A program that ends without reading its input is judged by how it ends.
  child.stdin.on('error', () => undefined).end(input ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new CommandFailed(command, error.message, output)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new CommandFailed(command, signal ? `signal ${signal}` : `exit code ${code}`, output));
    });
  });
}

/** The spawn options that make a program run as `user`. */
export function ids(user: SystemUser | null | undefined): { uid?: number; gid?: number } {
  return user ? { uid: user.uid, gid: user.gid } : {};
}

export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

/**
 * Neither this process nor those that it starts from now on leave a core dump, which would hold their secrets. Only the soft
 * limit is lowered: a program under test may raise its own.
 */
export async function forbidCoreDumps(): Promise<void> {
  await runCommand('prlimit', ['--core=0:', '--pid', String(process.pid)]);
}
