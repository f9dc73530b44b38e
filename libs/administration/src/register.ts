import type {
  CredentialsRequest,
  NewCredentials,
  NewWorker,
  RegisterChangeResource,
  RevokeRequest,
} from '@proctor/resources';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Credentials } from '@proctor/bus';
import { type WorkerRecord, WorkerRegister } from '@proctor/database';
import { type Administrator, Deployment, NatsAccess, NoNatsAccess, Signals } from './ports';
import { requireTestedPlaces } from './queues-and-workers';
import { Refusal } from './requests';

/** A worker that is revoked is cut off after this time at the latest. */
const STOP_SIGNAL_MS = 500;
const POLL_MS = 20;

/** Receives new credentials as soon as the register has recorded their key. */
type HandOver = (credentials: Credentials) => Promise<void>;

/**
 * The register of workers. Each change is committed when its method resolves, even if its notice reports a problem;
 * dispatchers follow at once, and nats-server after them. So a revoked worker gets the signal to stop its tests before
 * nats-server disconnects it.
 */
@Injectable()
export class Register {
  constructor(
    private readonly workers: WorkerRegister,
    private readonly deployment: Deployment,
    private readonly signals: Signals,
    private readonly nats: NatsAccess,
  ) {}

  /** All workers by name, including revoked ones. */
  list(): Promise<WorkerRecord[]> {
    return this.workers.list();
  }

  /** The address of NATS for new workers where the request names none; or why this process cannot add any. */
  async findAccess(): Promise<{ url: string; refusal: null } | { url: null; refusal: string }> {
    try {
      const nats = await this.nats.server();
      await nats.requireAccess();
      return { url: (await nats.users.read('api')).url, refusal: null };
    } catch (error) {
      if (!(error instanceof NoNatsAccess)) throw error;
      return { url: null, refusal: error.message };
    }
  }

  /**
   * Lets a machine work.
   * @throws WorkerExists, Refusal, NoNatsAccess when its address is not said and not known here
   */
  async add(request: NewWorker, by: Administrator, handOver?: HandOver): Promise<NewCredentials> {
    const { name, architectures, private: mayRunPrivate = false, reason } = request;
    await this.nats.require(`proctor worker add ${name}`);
    await requireTestedPlaces(this.deployment, { architectures });
    const { credentials, publicKey } = await this.credentialsFor(name, request);
    const worker = { name, publicKey, architectures: [...new Set(architectures)], mayRunPrivate };
    const concerned = await this.workers.add(worker, by, reason);
    await handOver?.(credentials);
    const { notice } = await this.applyChange(name, concerned);
    return { worker: name, credentials, notice };
  }

  /**
   * Gives a worker new credentials; the earlier ones stop working.
   * @throws UnknownWorker if no worker has the name; WorkerRevoked if it is revoked; Refusal; NoNatsAccess if its
   * address is not given and unknown on this machine
   */
  async rotate(
    name: string,
    request: CredentialsRequest,
    by: Administrator,
    handOver?: HandOver,
  ): Promise<NewCredentials> {
    await this.nats.require(`proctor worker rotate ${name}`);
    const { credentials, publicKey } = await this.credentialsFor(name, request);
    const concerned = await this.workers.rotate(name, publicKey, by, request.reason);
    await handOver?.(credentials);
    const { notice } = await this.applyChange(name, concerned);
    return { worker: name, credentials, notice };
  }

  /**
   * Revokes a worker: its leases end, and nats-server ends its connection.
   * @throws UnknownWorker if no worker has the name; WorkerRevoked if it is already revoked; Refusal
   */
  async revoke(name: string, { reason }: RevokeRequest, by: Administrator): Promise<RegisterChangeResource> {
    await this.nats.require(`proctor worker revoke ${name}`);
    const concerned = await this.workers.revoke(name, by, reason);
    return this.applyChange(name, concerned, () => this.stopSignalled(name));
  }

  /** Waits a moment for the dispatchers to send the signal to the worker: they may be slow or absent. */
  private async stopSignalled(name: string): Promise<void> {
    const endMs = performance.now() + STOP_SIGNAL_MS;
    while (!(await this.workers.isRevocationIngested(name)) && performance.now() < endMs)
      await pause(POLL_MS);
  }

  private async credentialsFor(
    name: string,
    { url, ca }: CredentialsRequest,
  ): Promise<{ credentials: Credentials; publicKey: string }> {
    const { BadCredentials, newCredentials } = await import('@proctor/bus');
    const own = url === undefined ? await (await this.nats.server()).users.read('api') : undefined;
    try {
      return newCredentials(name, url ?? own!.url, ca ?? own?.ca);
    } catch (error) {
      if (!(error instanceof BadCredentials)) throw error;
      throw new Refusal('invalid', error.message.replace(/^new credentials: /, ''));
    }
  }

  /** A failure from here on leaves the change as it is. */
  private async applyChange(
    worker: string,
    architectures: string[],
    followed = (): Promise<void> => Promise.resolve(),
  ): Promise<RegisterChangeResource> {
    await this.signals.workers(architectures);
    try {
      await followed();
      const nats = await this.nats.server();
      return { worker, notice: await this.workers.applyAccounts((workers) => nats.grantAccess(workers)) };
    } catch (error) {
      const cause = (error as Error).message;
      return { worker, notice: `the change is registered, and nats-server does not know of it: ${cause}` };
    }
  }
}
