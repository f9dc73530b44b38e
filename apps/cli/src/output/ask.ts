import { createInterface } from 'node:readline/promises';
import { EXIT, Failure } from '../failure';

/** What every command takes that asks before it changes much. */
export interface AskOptions {
  yes?: boolean;
}

/**
 * Asks on the terminal before something is done that cannot be undone.
 * @param what is about to happen, with its count: `3 runs are cancelled`
 * @throws Failure when the answer is no, or no terminal is there to ask on
 */
export async function confirm(what: string, { yes }: AskOptions): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) {
    throw new Failure(
      `${what}: no terminal is there to ask on`,
      EXIT.usage,
      'say --yes when that is what you want',
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

/** The same where a person may be asked: a script has decided before it was started. */
export async function confirmOnTerminal(what: string, options: AskOptions): Promise<void> {
  if (process.stdin.isTTY) await confirm(what, options);
}
