import { fork } from 'node:child_process';
import { OwnedProcess } from './owned-process';
import { describeEnding } from './supervised';

/**
 * Runs a program of one of Proctor's apps to its end, with our output.
 * @returns its exit code
 * @throws Error if it could not be started, or a signal ended it
 */
export async function runApp(main: string, env: NodeJS.ProcessEnv): Promise<number> {
  const child = fork(main, [], { env, execArgv: [], stdio: 'inherit' });
  const ending = await new OwnedProcess(child).ending;
  if (ending.code === null) throw new Error(`${main} ended with ${describeEnding(ending)}`);
  return ending.code;
}

/**
 * Runs a program that, with `--send`, sends its result to the process that started it.
 * @param signal stops the program
 * @throws Error with the error output of the program if it ends without a result, or too late
 */
export async function runAppForAnswer(
  main: string,
  env: NodeJS.ProcessEnv,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<unknown> {
  const child = fork(main, ['--send'], {
    env,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: timeoutMs,
  });
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const answers: unknown[] = [];
  child.on('message', (message) => answers.push(message));
  const app = new OwnedProcess(child);
  const end = (): void => app.kill('SIGTERM');
  signal?.addEventListener('abort', end);
  if (signal?.aborted) end();
  const ending = await app.ending.finally(() => signal?.removeEventListener('abort', end));
  if (answers.length > 0) return answers[0];
  throw new Error(errors.trim() || `${main} ended with ${describeEnding(ending)}`);
}
