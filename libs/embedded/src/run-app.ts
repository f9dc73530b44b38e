import { fork } from 'node:child_process';
import { OwnedProcess } from './owned-process';
import { describeEnding } from './supervised';

/**
 * Runs a program of one of Proctor's apps to its end; it writes where we do.
 * @returns its exit code
 * @throws when it could not be started, or a signal ended it
 */
export async function runApp(main: string, env: NodeJS.ProcessEnv): Promise<number> {
  const child = fork(main, [], { env, execArgv: ['--enable-source-maps'], stdio: 'inherit' });
  const ending = await new OwnedProcess(child).ended;
  if (ending.code === null) throw new Error(`${main} ended with ${describeEnding(ending)}`);
  return ending.code;
}
