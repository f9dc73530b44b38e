import { Inject, Injectable } from '@nestjs/common';
import type { Provider } from '@nestjs/common';
import { Deployment, NatsAccess, NoNatsAccess, Refusal, Signals } from '@proctor/administration';
import type { NatsServer, PasswordPolicy, Tested } from '@proctor/administration';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import { RememberedKeys } from './auth/remembered-keys';
import { CONFIGURATION } from './configuration.token';
import type { ApiConfiguration } from './configuration.token';
import { DispatcherClient } from './dispatchers/dispatcher-client';
import { OrderSignal } from './dispatchers/order-signal';
import { ResultLongPoll } from './runs/result-long-poll';

@Injectable()
class ApiDeployment extends Deployment {
  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {
    super();
  }

  testedPlaces(): Promise<Tested> {
    return Promise.resolve(this.configuration.server);
  }

  passwordPolicy(): Promise<PasswordPolicy> {
    return Promise.resolve(this.configuration.server.login.passwordPolicy);
  }
}

@Injectable()
class ApiSignals extends Signals {
  constructor(
    private readonly orderSignal: OrderSignal,
    private readonly dispatchers: DispatcherClient,
    private readonly longPoll: ResultLongPoll,
    private readonly rememberedKeys: RememberedKeys,
  ) {
    super();
  }

  orders(arch: string | null): void {
    this.orderSignal.send(arch);
  }

  workers(architectures: string[]): void {
    for (const arch of architectures) this.dispatchers.signal(subjectOf(SUBJECTS.workersChanged, arch), {});
  }

  results(): void {
    this.longPoll.notify();
  }

  keys(): void {
    this.rememberedKeys.notifyChanged();
  }
}

/** NATS access in an api process: it refuses changes of workers if it cannot change the accounts of nats-server. */
export class ApiNats extends NatsAccess {
  /** @param find throws NoNatsAccess if this process cannot change the accounts */
  constructor(private readonly find: () => Promise<NatsServer>) {
    super();
  }

  /** @throws Refusal `conflict` if this process cannot change the accounts */
  async require(command: string): Promise<void> {
    try {
      await (await this.find()).requireAccess();
    } catch (error) {
      if (!(error instanceof NoNatsAccess)) throw error;
      const place = 'on a machine from which it can be done';
      throw new Refusal(
        'conflict',
        `this api cannot change the accounts of nats-server (${error.message}); use \`${command}\` ${place}`,
      );
    }
  }

  server(): Promise<NatsServer> {
    return this.find();
  }
}

/** What the use cases of administration need from the api, apart from NatsAccess. */
export const ADMINISTRATION_PORTS: Provider[] = [
  { provide: Deployment, useClass: ApiDeployment },
  { provide: Signals, useClass: ApiSignals },
];
