import { AsyncLocalStorage } from 'node:async_hooks';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { format } from 'node:util';
import { execute } from '@apps/cli/src/execute';

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The surroundings of one command, while others run at the same time. */
interface Shell {
  env: NodeJS.ProcessEnv;
  stdin: Readable;
  stdout: PassThrough;
  stderr: PassThrough;
}

const shells = new AsyncLocalStorage<Shell>();

/** Runs a command within the test's process: starting a process takes a second or two for each command. */
export async function typed(args: string[], env: NodeJS.ProcessEnv, input = ''): Promise<Finished> {
  // What is not set is not there, as in the environment of a process.
  const set = Object.entries(env).filter(([, value]) => value !== undefined);
  const shell: Shell = {
    env: Object.fromEntries(set),
    stdin: Readable.from([Buffer.from(input)]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const texts = Promise.all([buffer(shell.stdout), buffer(shell.stderr)]);
  const code = await shells.run(shell, () => execute(args));
  shell.stdout.end();
  shell.stderr.end();
  const [stdout, stderr] = await texts;
  return { code, stdout: stdout.toString(), stderr: stderr.toString() };
}

// The process and the console of a test file are its own: others do not see this.
for (const name of ['env', 'stdin', 'stdout', 'stderr'] as const) {
  const ofTest: unknown = process[name];
  Object.defineProperty(process, name, {
    configurable: true,
    get: () => shells.getStore()?.[name] ?? ofTest,
  });
}
for (const [name, stream] of [
  ['log', 'stdout'],
  ['error', 'stderr'],
] as const) {
  const ofTest = console[name].bind(console);
  console[name] = (...values: unknown[]) => {
    const shell = shells.getStore();
    if (shell) shell[stream].write(`${format(...values)}\n`);
    else ofTest(...values);
  };
}
