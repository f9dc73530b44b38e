import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import { EXIT, Failure } from '../failure';

const AGAIN = 'type the same command again';

/** All of standard input but one newline at its end. */
export async function passwordFromStdin(): Promise<string> {
  return checked((await text(process.stdin)).replace(/\r?\n$/, ''));
}

/** Asks twice on the terminal, without showing what is typed. */
export async function readNewPassword(userName: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new Failure('there is no terminal to ask on', EXIT.failed, 'say --password-stdin');
  const first = await readHidden(`New password of ${userName}: `);
  if ((await readHidden('The same again: ')) !== first)
    throw new Failure('the two passwords differ', EXIT.failed, AGAIN);
  return checked(first);
}

/** One line from the terminal that is not shown. @throws when it is stopped by Ctrl-C */
export async function readHidden(question: string): Promise<string> {
  process.stderr.write(question);
  // The terminal in raw mode echoes through readline's output, so an output that drops everything hides it.
  const dropped = new Writable({ write: (_chunk, _encoding, done) => done() });
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
    throw new Failure('the password is empty', EXIT.failed, 'say one that is hard to guess');
  return password;
}
