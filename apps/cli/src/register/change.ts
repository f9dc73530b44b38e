import { readFile } from 'node:fs/promises';
import {
  administration,
  type CredentialsFields,
  type DeciderOptions,
  type Give,
  type NoticeAnswer,
} from '../administration/administration';
import { type AskOptions, confirmOnTerminal } from '../output/ask';
import { say } from '../output/print';
import { handOver } from './hand-over';

interface CredentialsOptions extends DeciderOptions, AskOptions {
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
): Promise<void> {
  const to = await administration(options);
  const fields = { name, architectures: arch, private: mayRunPrivate, ...(await credentialsAsked(options)) };
  const what = mayRunPrivate ? `${arch.join(', ')}, private tests too` : arch.join(', ');
  await withNewCredentials(options.out, `worker ${name} added by ${to.decider} (${what})`, (give) =>
    to.addWorker(fields, give),
  );
}

/** The same. @throws also when there is no such worker, or it is revoked */
export async function rotateWorker(name: string, options: CredentialsOptions): Promise<void> {
  const to = await administration(options);
  const fields = await credentialsAsked(options);
  await confirmOnTerminal(`worker ${name} is kept out until it has its new credentials`, options);
  await withNewCredentials(options.out, `worker ${name} was given new credentials by ${to.decider}`, (give) =>
    to.rotateWorker(name, fields, give),
  );
}

/** @throws also when there is no such worker, or it is revoked */
export async function revokeWorker(
  name: string,
  { reason, ...options }: DeciderOptions & AskOptions & { reason?: string },
): Promise<void> {
  const to = await administration(options);
  await confirmOnTerminal(
    `worker ${name} is taken out for good, and what it runs is given to others`,
    options,
  );
  const { notice } = await to.revokeWorker(name, reason === undefined ? {} : { reason });
  say(`worker ${name} is revoked by ${to.decider}`);
  if (notice !== null) say(notice);
}

async function credentialsAsked({ url, ca, reason }: CredentialsOptions): Promise<CredentialsFields> {
  return {
    ...(url !== undefined && { url }),
    ...(ca !== undefined && { ca: await readFile(ca, 'utf8') }),
    ...(reason !== undefined && { reason }),
  };
}

/** Credentials are handed over only once the register has them. */
async function withNewCredentials(
  out: string | undefined,
  done: string,
  register: (give: Give) => Promise<NoticeAnswer>,
): Promise<void> {
  const { notice } = await handOver(out, (write) =>
    register(async (credentials) => {
      await write(`${JSON.stringify(credentials, null, 2)}\n`);
      say(done);
    }),
  );
  if (notice !== null) say(notice);
}
