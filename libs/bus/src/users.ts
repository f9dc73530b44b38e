import { randomUUID } from 'node:crypto';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accountsOf, accountsText, type Accounts, type WorkerUser } from './accounts';
import { newCredentials, publicKeyOf, readCredentials, type Credentials } from './credentials';

const SERVICES = ['scheduler', 'api', 'system'] as const;

/** The users of a deployment's nats-server whose credentials this machine has: one file for each, in one folder. */
export class NatsUsers {
  constructor(readonly folder: string) {}

  /** The path of this user's credentials file. */
  path(name: string): string {
    return join(this.folder, `${name}.json`);
  }

  /**
   * Creates the missing users of the services, and writes this server into all their files.
   * @throws BadCredentials when a file is damaged
   */
  async prepare(url: string, ca?: string): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await chmod(this.folder, 0o700);
    for (const name of SERVICES) await this.prepareUser(name, url, ca);
  }

  /**
   * The user of this name, created by the first call.
   * @returns its public key
   * @throws BadCredentials when its file is damaged
   */
  async prepareUser(name: string, url: string, ca?: string): Promise<string> {
    const { credentials } = newCredentials(name, url, ca);
    const { seed } = await this.read(name).catch((error: Error) => {
      if ((error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return credentials;
      throw error;
    });
    await writeSecret(this.path(name), { ...credentials, seed });
    return publicKeyOf({ seed });
  }

  /** @throws BadCredentials if the file is not valid */
  read(name: string): Promise<Credentials> {
    return readCredentials(this.path(name));
  }

  /** The accounts of these users and of the workers. @throws BadCredentials before prepare() */
  async accounts(workers: WorkerUser[]): Promise<Accounts> {
    const keyOf = async (name: (typeof SERVICES)[number]) => publicKeyOf(await this.read(name));
    const services = {
      scheduler: await keyOf('scheduler'),
      api: await keyOf('api'),
      system: await keyOf('system'),
    };
    return accountsOf({ ...services, workers });
  }

  /** The accounts as text, to be included in nats-server's configuration. */
  async accountsText(workers: WorkerUser[]): Promise<string> {
    return accountsText(await this.accounts(workers));
  }
}

/** Replaces the file such that other users can never read it. */
async function writeSecret(path: string, credentials: Credentials): Promise<void> {
  const next = `${path}.${randomUUID()}`;
  await writeFile(next, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(next, path);
}
