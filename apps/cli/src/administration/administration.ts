import type { KeyScope } from '@proctor/contracts';
import type { UserStanding } from '@proctor/database';
import { ADMINISTRATOR } from '../arguments';
import { EXIT, Failure } from '../failure';
import { namedService, type ServiceOptions } from '../service/address';
import type { DecisionAnswer, RunAnswer } from '../service/answers';
import { Service } from '../service/service';

/** A run as it is; a sentence that tells by which rule it was removed; null where the decider may see none. */
export type FoundRun = Pick<RunAnswer, 'state' | 'priority'> | string | null;

/** What every command takes by which an administrator decides something. */
export interface DeciderOptions extends ServiceOptions {
  /** Name of a user; the key says it where a service is named. */
  by?: string;
}

/** Null: all of them. */
export interface ScopeAnswer {
  suite: string | null;
  arch: string | null;
}

export interface ScopeFields {
  suite?: string;
  arch?: string;
  reason?: string;
}

/** Which runs are meant: those that match all that is said. */
export interface SelectionFields extends ScopeFields {
  run_ids?: number[];
  package?: string;
  trigger?: string;
}

export interface WorkerFields {
  worker: string;
  reason?: string;
}

export interface DrainFields extends WorkerFields {
  deadline_seconds?: number;
}

export type PauseAnswer = ScopeAnswer & DecisionAnswer;
export type DrainAnswer = { worker: string; deadline: string | null } & DecisionAnswer;

export interface DecisionsAnswer {
  pauses: PauseAnswer[];
  drains: DrainAnswer[];
}

export interface TrustAnswer {
  worker: string;
  architectures: string[];
  by: string;
}

export interface CredentialsFields {
  url?: string;
  ca?: string;
  reason?: string;
}

export interface NewWorkerFields extends CredentialsFields {
  name: string;
  architectures: string[];
  private: boolean;
}

/** What a worker's credentials file has to hold. */
export type CredentialsAnswer = object;

/** What is left to do, for people; null: nothing. */
export interface NoticeAnswer {
  notice: string | null;
}

export interface RegisteredWorkerAnswer {
  name: string;
  architectures: string[];
  private: boolean;
  created_at: string;
  revoked_at: string | null;
  last_seen_at: string | null;
  last_seen_from: string | null;
  refusals: number;
  last_refusal: string | null;
  last_refused_at: string | null;
}

export interface RevokedAnswer extends NoticeAnswer {
  worker: string;
}

export type UserChange = 'disable' | 'enable' | 'remove';

export interface UserFields {
  name: string;
  admin: boolean;
  password?: string;
}

export interface UserAnswer {
  name: string;
  admin: boolean;
  standing: UserStanding;
  has_password: boolean;
  created_at: string;
  keys: number;
  sessions: number;
}

export interface AppointedAnswer {
  user: string;
  admin: boolean;
}

/** `password`: the one that was drawn; null: it was typed. */
export interface PasswordAnswer {
  user: string;
  password: string | null;
}

export type StandingAnswer = { user: string } & Pick<UserAnswer, 'standing'>;

/** A valid API key; the key itself is kept nowhere. */
export interface KeyAnswer {
  id: number;
  user: string;
  name: string;
  prefix: string;
  created_at: string;
  last_used_at: string | null;
  scope: KeyScope;
  expires_at: string | null;
}

/** The one time that the key itself is told. */
export type NewKeyAnswer = Pick<KeyAnswer, 'id' | 'name' | 'created_at' | 'scope' | 'expires_at'> & {
  key: string;
};

export interface NewKeyFields {
  name: string;
  scope: KeyScope;
  /** A day, or a time with its zone. */
  expires_at?: string;
}

/** Takes credentials as soon as the register has their key. */
export type Give = (credentials: CredentialsAnswer) => Promise<void>;

/**
 * What administrators do, as a command sees it: the API of a service, or the use cases on the database of this machine. Each method
 * throws a Failure, or an error of the use case, when nothing was changed.
 */
export interface Administration {
  /** Who decides, for people. */
  readonly decider: string;
  pause(fields: ScopeFields): Promise<Omit<PauseAnswer, 'since'>>;
  resume(fields: ScopeFields): Promise<ScopeAnswer>;
  drain(fields: DrainFields): Promise<Omit<DrainAnswer, 'since' | 'deadline'>>;
  undrain(fields: WorkerFields): Promise<{ worker: string }>;
  quarantine(fields: WorkerFields): Promise<TrustAnswer>;
  trust(fields: WorkerFields): Promise<TrustAnswer>;
  decisions(): Promise<DecisionsAnswer>;
  /**
   * How many runs would be cancelled, or given the priority.
   * @param priority null: they are to be cancelled
   */
  matching(selection: SelectionFields, priority: number | null): Promise<number>;
  /** @returns ids of the runs that were changed */
  change(selection: SelectionFields, priority: number | null): Promise<number[]>;
  findRun(runId: number): Promise<FoundRun>;
  /** What the service tests. */
  tested(): Promise<{ suites: string[]; architectures: string[] }>;
  registeredWorkers(): Promise<RegisteredWorkerAnswer[]>;
  addWorker(fields: NewWorkerFields, give: Give): Promise<NoticeAnswer>;
  rotateWorker(name: string, fields: CredentialsFields, give: Give): Promise<NoticeAnswer>;
  revokeWorker(name: string, fields: { reason?: string }): Promise<RevokedAnswer>;
  /** All, by name. */
  users(): Promise<UserAnswer[]>;
  addUser(fields: UserFields): Promise<AppointedAnswer>;
  /** Asks `type` for the password once it is known that there is such a user. */
  setPassword(name: string, type: () => Promise<string>): Promise<PasswordAnswer>;
  setAdministrator(name: string, isAdmin: boolean): Promise<AppointedAnswer>;
  changeUser(name: string, change: UserChange): Promise<StandingAnswer>;
  /** The valid ones of a user. */
  keys(userName: string): Promise<KeyAnswer[]>;
  /** @param password asks for that of the user, where only they may make a key */
  createKey(userName: string, fields: NewKeyFields, password: () => Promise<string>): Promise<NewKeyAnswer>;
  rotateKey(userName: string, id: number, password: () => Promise<string>): Promise<NewKeyAnswer>;
  revokeKey(idOrPrefix: string): Promise<{ key: number }>;
}

/**
 * The named service, else the database of this machine's Proctor, or of `PROCTOR_DATABASE_URL`.
 * @param everyone runs of all keys are meant; on this machine they always are
 */
export async function administration(
  { by, context }: DeciderOptions,
  { everyone = false }: { everyone?: boolean } = {},
): Promise<Administration> {
  const named = await namedService({ ...(context !== undefined && { context }) });
  if (named === null) {
    const { AdministrationHere } = await import('./local');
    return new AdministrationHere(by ?? ADMINISTRATOR);
  }
  if (by !== undefined) {
    throw new Failure(
      `--by is for the database of a machine; at ${named.url} the key says who decides`,
      EXIT.usage,
      'leave it out',
    );
  }
  const { AdministrationByService } = await import('./by-service');
  return new AdministrationByService(new Service(named), everyone);
}
