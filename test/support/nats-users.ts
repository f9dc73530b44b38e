import { accountsText, NatsUsers, publicKeyOf, type Credentials, type WorkerUser } from '@proctor/bus';

/** A user only for tests: it may do everything that is possible in the services' account. */
const OPERATOR = 'operator';

/** The users of a nats-server of tests: those of a deployment, its workers, and the operator. */
export class TestUsers {
  private readonly users: NatsUsers;
  /** The workers that `prepare` was called with. */
  workers: WorkerUser[] = [];

  constructor(folder: string) {
    this.users = new NatsUsers(folder);
  }

  get folder(): string {
    return this.users.folder;
  }

  /** Path of a user's credentials file. */
  path(name: string): string {
    return this.users.path(name);
  }

  read(name: string): Promise<Credentials> {
    return this.users.read(name);
  }

  operator(): Promise<Credentials> {
    return this.users.read(OPERATOR);
  }

  /** @returns the accounts for nats-server at `url` */
  async prepare(url: string, workers: Omit<WorkerUser, 'publicKey'>[]): Promise<string> {
    await this.users.prepare(url);
    await this.users.prepareUser(OPERATOR, url);
    this.workers = [];
    for (const worker of workers)
      this.workers.push({ ...worker, publicKey: await this.users.prepareUser(worker.name, url) });
    return this.accounts(this.workers);
  }

  /** The accounts once this worker is taken out. */
  without(worker: string): Promise<string> {
    return this.accounts(this.workers.filter(({ name }) => name !== worker));
  }

  private async accounts(workers: WorkerUser[]): Promise<string> {
    const accounts = await this.users.accounts(workers);
    accounts['PROCTOR']?.users.push({ nkey: publicKeyOf(await this.operator()) });
    return accountsText(accounts);
  }
}
