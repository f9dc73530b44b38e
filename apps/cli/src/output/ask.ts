import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { EXIT, Failure } from '../failure';

/** Options of every command that asks before it changes much. */
export interface AskOptions {
  yes?: boolean;
}

/**
 * Asks on the terminal before something is done that cannot be undone.
 * @param what describes the change, with its count: `3 runs are cancelled`
 * @throws Failure if the answer is no, or there is no terminal
 */
export async function confirm(what: string, { yes }: AskOptions): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) {
    throw new Failure(
      `${what}: there is no terminal on which to ask`,
      EXIT.usage,
      'use --yes to do it without a question',
    );
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question(`${what}. Go on? [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    reader.close();
  }
  throw new Failure('nothing was changed');
}

/** Asks as `confirm` does, but only on a terminal: the author of a script decided in advance. */
export async function confirmOnTerminal(what: string, options: AskOptions): Promise<void> {
  if (process.stdin.isTTY) await confirm(what, options);
}

const AGAIN = 'type the same command again';

/** Reads all of standard input, without one newline at its end. */
export async function passwordFromStdin(): Promise<string> {
  return checked((await text(process.stdin)).replace(/\r?\n$/, ''));
}

/** Asks twice on the terminal, without showing what is typed. */
export async function readNewPassword(userName: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new Failure('there is no terminal on which to ask', EXIT.failed, 'use --password-stdin');
  const first = await readHidden(`New password of ${userName}: `);
  if ((await readHidden('The same again: ')) !== first)
    throw new Failure('the two passwords differ', EXIT.failed, AGAIN);
  return checked(first);
}

/** Reads one line from the terminal without showing it. @throws Failure if Ctrl-C is pressed */
export async function readHidden(question: string): Promise<string> {
  process.stderr.write(question);
  // The terminal in raw mode echoes through readline's output, so an output that drops everything hides it.
  const dropped = new Writable({ write: (_chunk, _encoding, callback) => callback() });
  const reader = createInterface({ input: process.stdin, output: dropped, terminal: true });
  const stopped = new AbortController();
  reader.once('SIGINT', () => stopped.abort());
  try {
    return await reader.question('', { signal: stopped.signal });
  } catch (error) {
    if (stopped.signal.aborted)
      throw new Failure('stopped: nothing was changed', EXIT.failed, AGAIN, { cause: error });
    throw error;
  } finally {
    reader.close();
    process.stderr.write('\n');
  }
}

function checked(password: string): string {
  if (password === '')
    throw new Failure('the password is empty', EXIT.failed, 'choose one that is hard to guess');
  return password;
}
