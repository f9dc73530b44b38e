import type { NatsUsers, WorkerUser } from '@proctor/bus';
import type { PasswordPolicy } from './password-policy';

/** The administrator who decides something. The name is shown with the decision. */
export interface Administrator {
  userId: number;
  userName: string;
  /** The network address of the request. */
  address?: string | undefined;
}

/** The configured suites and architectures. */
export interface Tested {
  suites: string[];
  architectures: string[];
  backends: string[];
}

/** The present configuration. */
export abstract class Deployment {
  /** @throws when the configuration cannot be read */
  abstract testedPlaces(): Promise<Tested>;

  /** @throws when the configuration cannot be read */
  abstract passwordPolicy(): Promise<PasswordPolicy>;
}

/**
 * Signals other processes that something was committed. A signal that is lost costs time, never a change, so nothing here rejects.
 * Resolved, a signal is on its way.
 */
export abstract class Signals {
  /** Orders wait for the dispatcher of an architecture; null: of any. */
  abstract orders(arch: string | null): void | Promise<void>;

  /** The register of workers was changed, for the dispatchers of these architectures. */
  abstract workers(architectures: string[]): void | Promise<void>;

  /** There are new results. */
  abstract results(): void | Promise<void>;

  /** API keys were revoked or got another secret. */
  abstract keys(): void | Promise<void>;
}

/** The nats-server of a deployment and its users, as this machine has them. */
export interface NatsServer {
  users: NatsUsers;
  /**
   * Lets the services in and these workers, and ends all other connections at once. For WorkerRegister.applyAccounts, which
   * has one process at a time do it.
   * @returns what an administrator has to do yet; null: nothing
   */
  grantAccess(workers: WorkerUser[]): Promise<string | null>;
  /** @throws NoNatsAccess when this process could not change the accounts */
  requireAccess(): Promise<void>;
}

/** Leads to the nats-server of the deployment, where this process may change its accounts. */
export abstract class NatsAccess {
  /**
   * Checks access before the register is changed.
   * @param command the command that makes the same change where the accounts can be changed
   * @throws Refusal if the change must not be made without access
   */
  abstract require(command: string): Promise<void>;

  /** @throws NoNatsAccess if this process does not know nats-server or may not change its accounts */
  abstract server(): Promise<NatsServer>;
}

/** This process does not know nats-server, or may not change its accounts; the message says why. */
export class NoNatsAccess extends Error {}
