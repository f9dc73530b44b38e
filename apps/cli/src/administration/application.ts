import { type Abstract, Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type Administrator,
  Administrators,
  Deployment,
  InvalidRequest,
  NatsAccess,
  type NatsServer,
  NoNatsAccess,
  Refusal,
  requestOf,
  Signals,
  type PasswordPolicy,
  type Tested,
  USE_CASES,
} from '@proctor/administration';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import { DatabaseModule, type OpenDatabase, UnknownUser } from '@proctor/database';
import { EXIT, Failure } from '../failure';
import { withDatabase } from '../home-database';
import { findNats } from '../nats';

/** A use case, a port or a store, by its class. */
type Get = <T>(type: Type<T> | Abstract<T>) => T;

/** What was typed, as a request of a use case. @throws Failure that names each field that breaks a rule */
export function asRequest<T extends object>(shape: new () => T, fields: Partial<T>): T {
  try {
    return requestOf(shape, fields);
  } catch (error) {
    throw failureOf(error);
  }
}

const WHO_DECIDES = 'proctor user list shows who is an administrator; name one with --by';

/** Something that no deployment could do is a mistake of who typed it. Others are told with what to do, where that is known. */
function failureOf(error: unknown): unknown {
  const told = (advice: string): Failure => new Failure((error as Error).message, EXIT.failed, advice);
  if (error instanceof InvalidRequest) return new Failure(error.message, EXIT.usage, null, { cause: error });
  if (error instanceof UnknownUser) return told('proctor user list shows the users that there are');
  if (error instanceof Refusal && error.kind === 'forbidden') return told(WHO_DECIDES);
  if (error instanceof Refusal && error.kind === 'invalid')
    return told('type the command again with another one');
  return error;
}

/** Has use cases done by the code that the api has, on the database of this command. */
export function administer<T>(work: (get: Get) => Promise<T>): Promise<T> {
  return withDatabase(async (database) => {
    const application = await NestFactory.createApplicationContext(CommandModule.on(database), {
      logger: false,
      abortOnError: false,
    });
    try {
      return await work((type) => application.get(type));
    } catch (error) {
      throw failureOf(error);
    } finally {
      for (const notice of application.get(CommandSignals).notices) console.error(notice);
    }
  });
}

/**
 * The same in the name of an administrator.
 * @param by user name
 * @throws Failure when there is no such user; Refusal when the user is no administrator
 */
export function decide<T>(by: string, work: (get: Get, by: Administrator) => Promise<T>): Promise<T> {
  return administer(async (get) => {
    const administrator = await get(Administrators)
      .named(by)
      .catch((error: unknown) => {
        if (!(error instanceof UnknownUser)) throw error;
        throw new Failure(
          `there is no user ${by}, in whose name this is decided`,
          EXIT.failed,
          `make one: proctor user add ${by} --admin; or name another administrator with --by`,
          { cause: error },
        );
      });
    return work(get, administrator);
  });
}

class CommandDeployment extends Deployment {
  async tested(): Promise<Tested> {
    const { readConfiguration } = await import('../configuration');
    return (await readConfiguration()).server;
  }

  async passwordPolicy(): Promise<PasswordPolicy> {
    const { readConfiguration } = await import('../configuration');
    return (await readConfiguration()).server.login.passwordPolicy;
  }
}

class CommandNats extends NatsAccess {
  private found: Promise<NatsServer> | undefined;

  /** The change is made all the same, and the notice says what is left to do. */
  async require(): Promise<void> {}

  server(): Promise<NatsServer> {
    return (this.found ??= findNats().catch((error: Error) => {
      throw new NoNatsAccess(error.message, { cause: error });
    }));
  }
}

/** A command is not held up for long by a server that is away. */
const PATIENCE_MS = 2_000;

class CommandSignals extends Signals {
  /** What people should know of signals that were lost. */
  readonly notices: string[] = [];

  constructor(
    private readonly deployment: Deployment,
    private readonly nats: NatsAccess,
  ) {
    super();
  }

  orders(arch: string | null): Promise<void> {
    return this.send(async () => {
      const architectures = arch === null ? (await this.deployment.tested()).architectures : [arch];
      return architectures.map((each) => subjectOf(SUBJECTS.ordersWaiting, each));
    });
  }

  workers(architectures: string[]): Promise<void> {
    const subjects = architectures.map((arch) => subjectOf(SUBJECTS.workersChanged, arch));
    return this.send(() => Promise.resolve(subjects));
  }

  results(): Promise<void> {
    return this.send(() => Promise.resolve([SUBJECTS.resultsChanged]));
  }

  keys(): Promise<void> {
    return this.send(() => Promise.resolve([SUBJECTS.keysChanged]), 'the api could not be told and follows');
  }

  /** Where nats-server is not known, nothing is said: all find by themselves what was decided. */
  private async send(
    subjects: () => Promise<string[]>,
    lost = 'the dispatchers could not be told and follow',
  ): Promise<void> {
    try {
      const [{ users }, { sendSignals }] = [await this.nats.server(), await import('@proctor/bus')];
      await sendSignals(await users.read('api'), await subjects(), PATIENCE_MS);
    } catch (error) {
      if (error instanceof NoNatsAccess) return;
      const cause = (error as Error).message;
      this.notices.push(`${lost} in a few seconds: ${cause}`);
    }
  }
}

@Module({})
class CommandModule {
  static on(database: OpenDatabase): DynamicModule {
    return {
      module: CommandModule,
      imports: [DatabaseModule.of(database)],
      providers: [
        ...USE_CASES,
        { provide: Deployment, useClass: CommandDeployment },
        { provide: NatsAccess, useClass: CommandNats },
        {
          provide: CommandSignals,
          inject: [Deployment, NatsAccess],
          useFactory: (deployment: Deployment, nats: NatsAccess) => new CommandSignals(deployment, nats),
        },
        { provide: Signals, useExisting: CommandSignals },
      ],
    };
  }
}
