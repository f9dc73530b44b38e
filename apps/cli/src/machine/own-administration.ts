import {
  CredentialsRequest,
  NewKey,
  NewUser,
  NewWorker,
  PasswordRequest,
  RevokeRequest,
  type KeyWithSecret,
  type NewCredentials,
  type RegisterChangeResource,
} from '@proctor/resources';
import {
  Deployment,
  InvalidRequest,
  type Administrator,
  NatsAccess,
  type NatsServer,
  keyLimitsOf,
  newKeyObject,
  NoNatsAccess,
  type PasswordPolicy,
  Refusal,
  Register,
  requestOf,
  Signals,
  type Tested,
  UsersAndKeys,
} from '@proctor/administration';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import { COMMAND_LINE, type OpenDatabase, UnknownUser } from '@proctor/database';
import { ADMINISTRATOR } from '../arguments';
import { readConfiguration } from '../configuration';
import { EXIT, Failure } from '../failure';
import { findNats, withDatabase } from '../own-servers';
import { findAdministrator } from '../service/machine-key';

// Administration on the database of this machine. The API cannot do this: create the first administrator, set a lost
// password or create a key for another user, and change the register of workers while the accounts of nats-server are
// files that the api may not write.

/**
 * Creates the first administrator.
 * @returns false if one exists; nothing was changed then
 */
export function addFirstAdministrator(fields: Partial<NewUser>): Promise<boolean> {
  const request = validated(NewUser, fields);
  return withoutAdministrator(
    async ({ usersAndKeys }) => void (await usersAndKeys.add(request, COMMAND_LINE)),
  );
}

/** Makes an existing user the first administrator. @returns as `addFirstAdministrator` */
export function appointFirstAdministrator(name: string): Promise<boolean> {
  return withoutAdministrator(({ usersAndKeys }) => usersAndKeys.setAdministrator(name, true, COMMAND_LINE));
}

/** Sets the password of a user. @param promptPassword called only if the user exists */
export function setPassword(name: string, promptPassword: () => Promise<string>): Promise<void> {
  return administer(async ({ usersAndKeys, database }) => {
    if (!(await database.users.find(name))) throw new UnknownUser(name);
    const { password } = validated(PasswordRequest, { password: await promptPassword() });
    await usersAndKeys.setPassword(name, password, COMMAND_LINE);
  });
}

export function createKey(userName: string, fields: Partial<NewKey>): Promise<KeyWithSecret> {
  const request = validated(NewKey, fields);
  const limits = { scope: 'everything', expiresAt: null, ...keyLimitsOf(request) } as const;
  return administer(async ({ database }) =>
    newKeyObject(await database.apiKeys.create(userName, request.name, COMMAND_LINE, limits)),
  );
}

export function rotateKey(userName: string, id: number): Promise<KeyWithSecret> {
  return administer(async ({ usersAndKeys }) =>
    newKeyObject(await usersAndKeys.rotateKey(id, userName, COMMAND_LINE)),
  );
}

export function addWorker(fields: Partial<NewWorker>, handOver: HandOver): Promise<NewCredentials> {
  const request = validated(NewWorker, fields);
  return asAdministrator(({ register }, administrator) => register.add(request, administrator, handOver));
}

export function rotateWorker(
  name: string,
  fields: Partial<CredentialsRequest>,
  handOver: HandOver,
): Promise<NewCredentials> {
  const request = validated(CredentialsRequest, fields);
  return asAdministrator(({ register }, administrator) =>
    register.rotate(name, request, administrator, handOver),
  );
}

export function revokeWorker(name: string, fields: Partial<RevokeRequest>): Promise<RegisterChangeResource> {
  const request = validated(RevokeRequest, fields);
  return asAdministrator(({ register }, administrator) => register.revoke(name, request, administrator));
}

/** Receives new credentials as soon as the register has recorded their key. */
export type HandOver = (credentials: object) => Promise<void>;

interface UseCases {
  usersAndKeys: UsersAndKeys;
  register: Register;
  database: OpenDatabase;
}

async function withoutAdministrator(work: (useCases: UseCases) => Promise<void>): Promise<boolean> {
  return administer(async (useCases) => {
    if ((await findAdministrator(useCases.database.users)) !== null) return false;
    await work(useCases);
    return true;
  });
}

/** Runs `work` as an administrator: the register records one for each change. */
function asAdministrator<T>(
  work: (useCases: UseCases, administrator: Administrator) => Promise<T>,
): Promise<T> {
  return administer(async (useCases) => {
    const { users } = useCases.database;
    const name = await findAdministrator(users);
    const user = name === null ? null : await users.record(name);
    if (user) return work(useCases, { userId: user.userId, userName: user.name });
    const advice = `create one: proctor user add ${ADMINISTRATOR} --admin`;
    throw new Failure('there is no administrator yet who could decide this', EXIT.failed, advice);
  });
}

function administer<T>(work: (useCases: UseCases) => Promise<T>): Promise<T> {
  return withDatabase(async (database) => {
    const deployment = new OwnDeployment();
    const nats = new OwnNats();
    const signals = new OwnSignals(deployment, nats);
    try {
      return await work({
        usersAndKeys: new UsersAndKeys(database.users, database.apiKeys, deployment, signals),
        register: new Register(database.workerRegister, deployment, signals, nats),
        database,
      });
    } catch (error) {
      throw failureOf(error);
    } finally {
      for (const notice of signals.notices) console.error(notice);
    }
  });
}

/** @throws Failure that names each field that breaks a rule */
function validated<T extends object>(shape: new () => T, fields: Partial<T>): T {
  try {
    return requestOf(shape, fields);
  } catch (error) {
    throw failureOf(error);
  }
}

/** A request that no deployment could accept gets the exit code of wrong usage. */
function failureOf(error: unknown): unknown {
  if (error instanceof InvalidRequest) return new Failure(error.message, EXIT.usage, null, { cause: error });
  if (error instanceof Refusal && error.kind === 'invalid')
    return new Failure(error.message, EXIT.failed, 'type the command again with another one');
  if (error instanceof UnknownUser)
    return new Failure(error.message, EXIT.failed, 'proctor user list shows all users');
  return error;
}

class OwnDeployment extends Deployment {
  async testedPlaces(): Promise<Tested> {
    return (await readConfiguration()).server;
  }

  async passwordPolicy(): Promise<PasswordPolicy> {
    return (await readConfiguration()).server.login.passwordPolicy;
  }
}

class OwnNats extends NatsAccess {
  private natsServer: Promise<NatsServer> | undefined;

  /** The change is made without nats-server, too; a notice then says what is left to do. */
  async require(): Promise<void> {}

  server(): Promise<NatsServer> {
    return (this.natsServer ??= findNats().catch((error: Error) => {
      throw new NoNatsAccess(error.message, { cause: error });
    }));
  }
}

/** How long a command waits for a nats-server that does not answer. */
const PATIENCE_MS = 2_000;

class OwnSignals extends Signals {
  /** Messages for people: the signals that were lost. */
  readonly notices: string[] = [];

  constructor(
    private readonly deployment: Deployment,
    private readonly nats: NatsAccess,
  ) {
    super();
  }

  async orders(arch: string | null): Promise<void> {
    const architectures = arch === null ? (await this.deployment.testedPlaces()).architectures : [arch];
    return this.send(architectures.map((each) => subjectOf(SUBJECTS.ordersWaiting, each)));
  }

  workers(architectures: string[]): Promise<void> {
    return this.send(architectures.map((arch) => subjectOf(SUBJECTS.workersChanged, arch)));
  }

  results(): Promise<void> {
    return this.send([SUBJECTS.resultsChanged]);
  }

  keys(): Promise<void> {
    return this.send([SUBJECTS.keysChanged], 'the api got no signal and follows');
  }

  /** If no nats-server is found, this adds no notice: all processes find the change without a signal. */
  private async send(
    subjects: string[],
    consequence = 'the dispatchers got no signal and follow',
  ): Promise<void> {
    try {
      const [{ users }, { sendSignals }] = [await this.nats.server(), await import('@proctor/bus')];
      await sendSignals(await users.read('api'), subjects, PATIENCE_MS);
    } catch (error) {
      if (error instanceof NoNatsAccess) return;
      this.notices.push(`${consequence} in a few seconds: ${(error as Error).message}`);
    }
  }
}
