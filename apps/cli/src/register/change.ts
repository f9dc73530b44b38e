import { readFile } from 'node:fs/promises';
import {
  CredentialsRequest,
  NewWorker,
  type Registered,
  Register,
  requestOf,
  RevokeRequest,
} from '@proctor/administration';
import type { Credentials } from '@proctor/bus';
import { decide } from '../administration';
import { handOver } from './hand-over';

interface CredentialsOptions {
  by: string;
  reason?: string;
  url?: string;
  /** Path of the file. */
  ca?: string;
  out?: string;
}

/**
 * Prints the credentials, alone on standard output.
 * @throws UnknownUser, WorkerExists; Refusal; or when the file is there already
 */
export async function addWorker(
  name: string,
  { arch, private: mayRunPrivate, ...options }: CredentialsOptions & { arch: string[]; private: boolean },
): Promise<void> {
  const { by } = options;
  const typed = { name, architectures: arch, private: mayRunPrivate, ...(await credentialsAsked(options)) };
  const request = requestOf(NewWorker, typed);
  const what = mayRunPrivate ? `${arch.join(', ')}, private tests too` : arch.join(', ');
  await withNewCredentials(options.out, `worker ${name} added by ${by} (${what})`, (give) =>
    decide(by, (get, administrator) => get(Register).add(request, administrator, give)),
  );
}

/** The same. @throws UnknownUser, UnknownWorker, WorkerRevoked; Refusal; or when the file is there already */
export async function rotateWorker(name: string, options: CredentialsOptions): Promise<void> {
  const { by } = options;
  const request = requestOf(CredentialsRequest, await credentialsAsked(options));
  await withNewCredentials(options.out, `worker ${name} was given new credentials by ${by}`, (give) =>
    decide(by, (get, administrator) => get(Register).rotate(name, request, administrator, give)),
  );
}

/** @throws UnknownUser, UnknownWorker, WorkerRevoked, Refusal */
export async function revokeWorker(
  name: string,
  { by, ...typed }: RevokeRequest & { by: string },
): Promise<void> {
  const request = requestOf(RevokeRequest, typed);
  const { notice } = await decide(by, (get, administrator) =>
    get(Register).revoke(name, request, administrator),
  );
  console.error(`worker ${name} is revoked by ${by}`);
  if (notice !== null) console.error(notice);
}

async function credentialsAsked({ url, ca, reason }: CredentialsOptions): Promise<CredentialsRequest> {
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
  register: (give: (credentials: Credentials) => Promise<void>) => Promise<Registered>,
): Promise<void> {
  const { notice } = await handOver(out, (write) =>
    register(async (credentials) => {
      await write(`${JSON.stringify(credentials, null, 2)}\n`);
      console.error(done);
    }),
  );
  if (notice !== null) console.error(notice);
}
