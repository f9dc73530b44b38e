import { readFile } from 'node:fs/promises';
import { newCredentials, type Credentials } from '@proctor/bus';
import { checkTested } from '../configuration';
import { decide } from '../decisions/decider';
import { handOver } from './hand-over';
import { ownAddress, registerChanged } from './nats';

interface Decider {
  by: string;
  reason?: string;
}

interface CredentialsOptions extends Decider {
  url?: string;
  ca?: string;
  out?: string;
}

/**
 * Prints the credentials, alone on standard output.
 * @throws UnknownUser, WorkerExists; or when the user is no administrator, an architecture is not tested here, or the file is
 * there already
 */
export async function addWorker(
  name: string,
  {
    arch: architectures,
    private: mayRunPrivate,
    ...options
  }: CredentialsOptions & {
    arch: string[];
    private: boolean;
  },
): Promise<void> {
  await checkTested({ arch: architectures });
  const concerned = await withNewCredentials(name, options, (publicKey) =>
    decide(options.by, ({ workerRegister }, decider) =>
      workerRegister.add({ name, publicKey, architectures, mayRunPrivate }, decider, options.reason),
    ),
  );
  const what = mayRunPrivate ? `${architectures.join(', ')}, private tests too` : architectures.join(', ');
  console.error(`worker ${name} added by ${options.by} (${what})`);
  await registerChanged(concerned);
}

/** The same. @throws UnknownUser, UnknownWorker, WorkerRevoked; or when the user is no administrator, or the file is there */
export async function rotateWorker(name: string, options: CredentialsOptions): Promise<void> {
  const concerned = await withNewCredentials(name, options, (publicKey) =>
    decide(options.by, ({ workerRegister }, decider) =>
      workerRegister.rotate(name, publicKey, decider, options.reason),
    ),
  );
  console.error(`worker ${name} was given new credentials by ${options.by}`);
  await registerChanged(concerned);
}

/** @throws UnknownUser, UnknownWorker, WorkerRevoked; or when the user is no administrator */
export async function revokeWorker(name: string, { by, reason }: Decider): Promise<void> {
  const concerned = await decide(by, ({ workerRegister }, decider) =>
    workerRegister.revoke(name, decider, reason),
  );
  console.error(`worker ${name} is revoked by ${by}`);
  await registerChanged(concerned);
}

/** Nobody gets credentials that are in no register: they are handed over once the register has them. */
function withNewCredentials<T>(
  name: string,
  { url, ca, out }: CredentialsOptions,
  register: (publicKey: string) => Promise<T>,
): Promise<T> {
  return handOver(out, async () => {
    const { credentials, publicKey } = await made(name, url, ca);
    const result = await register(publicKey);
    return { text: `${JSON.stringify(credentials, null, 2)}\n`, result };
  });
}

async function made(
  name: string,
  url: string | undefined,
  ca: string | undefined,
): Promise<{ credentials: Credentials; publicKey: string }> {
  const certificate = ca === undefined ? undefined : await readFile(ca, 'utf8');
  return newCredentials(name, url ?? (await ownAddress()), certificate);
}
