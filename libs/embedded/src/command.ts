import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A user of this machine that executes a program. */
export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

interface CommandOptions {
  /** Runs as this user; null or absent: as the current user. */
  user?: SystemUser | null;
  cwd?: string;
  /** Replaces the current environment. */
  env?: NodeJS.ProcessEnv;
  /** Its standard input. */
  input?: string;
  /** Runs the command in its own process group: Ctrl-C in the terminal does not reach it. */
  detached?: boolean;
  /** Time limit in milliseconds. */
  timeout?: number;
  /** Called with each line of its standard output. */
  onLine?: (line: string) => void;
}

/** A program could not be started, or ended with another exit code than 0. */
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
 * @throws CommandFailed with its last lines
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
  // For a program that ends without reading its input, only its end counts.
  child.stdin.on('error', () => undefined).end(input ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new CommandFailed(command, error.message, output)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new CommandFailed(command, signal ? `signal ${signal}` : `exit code ${code}`, output));
    });
  });
}

/** The spawn options to run a program as `user`. */
export function ids(user: SystemUser | null | undefined): { uid?: number; gid?: number } {
  return user ? { uid: user.uid, gid: user.gid } : {};
}

export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

/**
 * Forbids core dumps, which would hold secrets, of this process and those that it starts from now on. Only the soft
 * limit is lowered: a program under test may raise its own.
 */
export async function forbidCoreDumps(): Promise<void> {
  await runCommand('prlimit', ['--core=0:', '--pid', String(process.pid)]);
}
