import type { NewCredentials, RegisterChangeResource } from '@proctor/resources';
import { readFile } from 'node:fs/promises';
import { type AskOptions, confirmOnTerminal } from '../output/ask';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, printNotice } from '../output/print';
import { hasOwnAccounts, type ServiceOptions } from '../service/address';
import { Service } from '../service/service';
import { handOver } from './credentials-output';

const ownAdministration = () => import('../machine/own-administration');

interface CredentialsOptions extends ServiceOptions, AskOptions, OutputOptions {
  reason?: string;
  url?: string;
  /** Path of the file. */
  ca?: string;
  out?: string;
}

interface CredentialsFields {
  url?: string;
  ca?: string;
  reason?: string;
}

type Give = (credentials: object) => Promise<void>;

/**
 * Adds a worker and prints only its credentials on standard output.
 * @throws Failure if the worker or the file exists
 */
export async function addWorker(
  name: string,
  { arch, private: mayRunPrivate, ...options }: CredentialsOptions & { arch: string[]; private: boolean },
): Promise<object> {
  const fields = { name, architectures: arch, private: mayRunPrivate, ...(await credentialsFields(options)) };
  const what = mayRunPrivate ? `${arch.join(', ')}, private tests too` : arch.join(', ');
  return withNewCredentials(name, options, `worker ${name} added (${what})`, async (give) =>
    (await hasOwnAccounts(options))
      ? (await ownAdministration()).addWorker(fields, give)
      : postForCredentials('/admin/workers', fields, give, options),
  );
}

/**
 * Replaces the credentials of a worker and prints only the new ones. @throws Failure if the worker does not exist or is
 * revoked
 */
export async function rotateWorker(name: string, options: CredentialsOptions): Promise<object> {
  const fields = await credentialsFields(options);
  await confirmOnTerminal(`worker ${name} is kept out until it has its new credentials`, options);
  return withNewCredentials(name, options, `worker ${name} has new credentials`, async (give) =>
    (await hasOwnAccounts(options))
      ? (await ownAdministration()).rotateWorker(name, fields, give)
      : postForCredentials(pathOf(name, 'rotate'), fields, give, options),
  );
}

/** @throws Failure if the worker does not exist or is revoked already */
export async function revokeWorker(
  name: string,
  { reason, ...options }: ServiceOptions & AskOptions & { reason?: string },
): Promise<object> {
  const isOwn = await hasOwnAccounts(options);
  await confirmOnTerminal(
    `worker ${name} is taken out for good, and what it runs is given to others`,
    options,
  );
  const fields = reason === undefined ? {} : { reason };
  const { notice } = isOwn
    ? await (await ownAdministration()).revokeWorker(name, fields)
    : await (await Service.find(options)).post<RegisterChangeResource>(pathOf(name, 'revoke'), fields);
  printNotice(`worker ${name} is revoked`);
  if (notice !== null) printNotice(notice);
  return { worker: name, notice };
}

async function credentialsFields({ url, ca, reason }: CredentialsOptions): Promise<CredentialsFields> {
  return {
    ...(url !== undefined && { url }),
    ...(ca !== undefined && { ca: await readFile(ca, 'utf8') }),
    ...(reason !== undefined && { reason }),
  };
}

async function postForCredentials(
  path: string,
  fields: object,
  give: Give,
  options: ServiceOptions,
): Promise<RegisterChangeResource> {
  const answer = await (await Service.find(options)).post<NewCredentials>(path, fields);
  await give(answer.credentials);
  return answer;
}

function pathOf(name: string, change: string): string {
  return `/admin/workers/${encodeURIComponent(name)}/${change}`;
}

/**
 * Prints or writes new credentials as soon as the register has recorded them: alone, or as a part of the answer.
 * @throws Failure if the answer would contain credentials that should be only in a file
 */
async function withNewCredentials(
  worker: string,
  { out, json }: CredentialsOptions,
  doneNotice: string,
  register: (give: Give) => Promise<RegisterChangeResource>,
): Promise<object> {
  if (json && out !== undefined)
    throw new Failure(
      '--json prints the credentials, --out keeps them in a file',
      EXIT.usage,
      'use one of them',
    );
  let credentials = {};
  const { notice } = await handOver(out, (write) =>
    register(async (newCredentials) => {
      credentials = newCredentials;
      if (!json) await write(`${JSON.stringify(newCredentials, null, 2)}\n`);
      printNotice(doneNotice);
    }),
  );
  if (notice !== null) printNotice(notice);
  return { worker, credentials, notice };
}
