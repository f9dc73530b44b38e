import { readFile } from 'node:fs/promises';
import {
  administration,
  type CredentialsAnswer,
  type CredentialsFields,
  type DeciderOptions,
  type Give,
  type NoticeAnswer,
} from '../administration/administration';
import { type AskOptions, confirmOnTerminal } from '../output/ask';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, say } from '../output/print';
import { handOver } from './hand-over';

interface CredentialsOptions extends DeciderOptions, AskOptions, OutputOptions {
  reason?: string;
  url?: string;
  /** Path of the file. */
  ca?: string;
  out?: string;
}

/**
 * Prints the credentials, alone on standard output.
 * @throws also when there is such a worker, or the file is there already
 */
export async function addWorker(
  name: string,
  { arch, private: mayRunPrivate, ...options }: CredentialsOptions & { arch: string[]; private: boolean },
): Promise<object> {
  const to = await administration(options);
  const fields = { name, architectures: arch, private: mayRunPrivate, ...(await credentialsAsked(options)) };
  const what = mayRunPrivate ? `${arch.join(', ')}, private tests too` : arch.join(', ');
  const done = `worker ${name} added by ${to.decider} (${what})`;
  return withNewCredentials(name, options, done, (give) => to.addWorker(fields, give));
}

/** The same. @throws also when there is no such worker, or it is revoked */
export async function rotateWorker(name: string, options: CredentialsOptions): Promise<object> {
  const to = await administration(options);
  const fields = await credentialsAsked(options);
  await confirmOnTerminal(`worker ${name} is kept out until it has its new credentials`, options);
  const done = `worker ${name} was given new credentials by ${to.decider}`;
  return withNewCredentials(name, options, done, (give) => to.rotateWorker(name, fields, give));
}

/** @throws also when there is no such worker, or it is revoked */
export async function revokeWorker(
  name: string,
  { reason, ...options }: DeciderOptions & AskOptions & { reason?: string },
): Promise<object> {
  const to = await administration(options);
  await confirmOnTerminal(
    `worker ${name} is taken out for good, and what it runs is given to others`,
    options,
  );
  const revoked = await to.revokeWorker(name, reason === undefined ? {} : { reason });
  say(`worker ${name} is revoked by ${to.decider}`);
  if (revoked.notice !== null) say(revoked.notice);
  return revoked;
}

async function credentialsAsked({ url, ca, reason }: CredentialsOptions): Promise<CredentialsFields> {
  return {
    ...(url !== undefined && { url }),
    ...(ca !== undefined && { ca: await readFile(ca, 'utf8') }),
    ...(reason !== undefined && { reason }),
  };
}

/**
 * Credentials are handed over only once the register has them: alone, or as a part of the answer.
 * @throws Failure when the answer would have those that are to be in a file alone
 */
async function withNewCredentials(
  worker: string,
  { out, json }: CredentialsOptions,
  done: string,
  register: (give: Give) => Promise<NoticeAnswer>,
): Promise<object> {
  if (json && out !== undefined)
    throw new Failure(
      '--json prints the credentials, --out keeps them in a file',
      EXIT.usage,
      'say one of them',
    );
  let credentials: CredentialsAnswer = {};
  const { notice } = await handOver(out, (write) =>
    register(async (made) => {
      credentials = made;
      if (!json) await write(`${JSON.stringify(made, null, 2)}\n`);
      say(done);
    }),
  );
  if (notice !== null) say(notice);
  return { worker, credentials, notice };
}
