import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Writable } from 'node:stream';

/** All of standard input but one newline at its end. */
export async function passwordFromStdin(): Promise<string> {
  return checked((await text(process.stdin)).replace(/\r?\n$/, ''));
}

/** Asks twice on the terminal, without showing what is typed. */
export async function askPassword(userName: string): Promise<string> {
  if (!process.stdin.isTTY) throw new Error('there is no terminal to ask on: use --password-stdin');
  const first = await askHidden(`New password of ${userName}: `);
  if ((await askHidden('The same again: ')) !== first) throw new Error('the two passwords differ');
  return checked(first);
}

async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  // The terminal in raw mode echoes through readline's output, so an output that drops everything hides it.
  const dropped = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: dropped, terminal: true });
  const stopped = new AbortController();
  reader.once('SIGINT', () => stopped.abort());
  try {
    return await reader.question('', { signal: stopped.signal });
  } catch (error) {
    if (stopped.signal.aborted) throw new Error('stopped: nothing was changed', { cause: error });
    throw error;
  } finally {
    reader.close();
    process.stderr.write('\n');
  }
}

function checked(password: string): string {
  if (password === '') throw new Error('the password is empty');
  return password;
}
