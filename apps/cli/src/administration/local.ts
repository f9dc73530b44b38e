import {
  CredentialsRequest,
  Deployment,
  DrainRequest,
  keyLimitsOf,
  ManyRuns,
  NewKey,
  NewUser,
  NewWorker,
  PasswordRequest,
  PauseRequest,
  QuarantineRequest,
  QueuesAndWorkers,
  Register,
  RestoreRequest,
  ResumeRequest,
  RevokeRequest,
  Selection,
  type Tested,
  UsersAndKeys,
} from '@proctor/administration';
import { ruleSentence } from '@proctor/contracts';
import {
  type ApiKey,
  ApiKeys,
  BrokenOff,
  COMMAND_LINE,
  type NewApiKey,
  RemovedRuns,
  Results,
  UnknownUser,
  type UserRecord,
  Users,
  type WorkerRecord,
} from '@proctor/database';
import { say } from '../output/print';
import type {
  Administration,
  AppointedAnswer,
  CredentialsFields,
  DecisionsAnswer,
  DrainAnswer,
  DrainFields,
  FoundRun,
  Give,
  KeyAnswer,
  NewKeyAnswer,
  NewKeyFields,
  NewWorkerFields,
  NoticeAnswer,
  PasswordAnswer,
  PauseAnswer,
  RegisteredWorkerAnswer,
  RevokedAnswer,
  ScopeAnswer,
  ScopeFields,
  SelectionFields,
  StandingAnswer,
  TrustAnswer,
  UserAnswer,
  UserChange,
  UserFields,
  WorkerFields,
} from './administration';
import { administer, asRequest, decide } from './application';

/** On the database of this machine, in the name of an administrator. A request that cannot be is refused before it is opened. */
export class AdministrationHere implements Administration {
  constructor(readonly decider: string) {}

  async pause(fields: ScopeFields): Promise<Omit<PauseAnswer, 'since'>> {
    const request = asRequest(PauseRequest, fields);
    return decide(this.decider, (get, by) => get(QueuesAndWorkers).pause(request, by));
  }

  async resume(fields: ScopeFields): Promise<ScopeAnswer> {
    const request = asRequest(ResumeRequest, fields);
    return decide(this.decider, (get, by) => get(QueuesAndWorkers).resume(request, by));
  }

  async drain(fields: DrainFields): Promise<Omit<DrainAnswer, 'since' | 'deadline'>> {
    const request = asRequest(DrainRequest, fields);
    return decide(this.decider, (get, by) => get(QueuesAndWorkers).drain(request, by));
  }

  async undrain(fields: WorkerFields): Promise<{ worker: string }> {
    const request = asRequest(RestoreRequest, fields);
    return decide(this.decider, (get, by) => get(QueuesAndWorkers).undrain(request, by));
  }

  async quarantine(fields: WorkerFields): Promise<TrustAnswer> {
    const request = asRequest(QuarantineRequest, fields);
    return decide(this.decider, (get, by) => get(QueuesAndWorkers).quarantine(request, by));
  }

  async trust(fields: WorkerFields): Promise<TrustAnswer> {
    const request = asRequest(RestoreRequest, fields);
    return decide(this.decider, (get, by) => get(QueuesAndWorkers).trust(request, by));
  }

  decisions(): Promise<DecisionsAnswer> {
    return administer((get) => get(QueuesAndWorkers).list());
  }

  async matching(fields: SelectionFields, priority: number | null): Promise<number> {
    const selection = asRequest(Selection, fields);
    const counts = await decide(this.decider, (get) =>
      priority === null
        ? get(ManyRuns).previewOfCancel(selection, null)
        : get(ManyRuns).previewOfReprioritise(selection, priority, null),
    );
    return counts.reduce((sum, { waiting, executed }) => sum + waiting + executed, 0);
  }

  async change(fields: SelectionFields, priority: number | null): Promise<number[]> {
    const selection = asRequest(Selection, fields);
    return decide(this.decider, (get, by) =>
      (priority === null
        ? get(ManyRuns).cancel(selection, by, null)
        : get(ManyRuns).reprioritise(selection, priority, by, null)
      ).catch(tellDone),
    );
  }

  findRun(runId: number): Promise<FoundRun> {
    return administer(async (get) => {
      const run = await get(Results).find(runId);
      const removal = run ? null : await get(RemovedRuns).find(runId);
      return removal ? `Run ${runId} was removed: ${ruleSentence(removal.removedBy)}` : run;
    });
  }

  tested(): Promise<Tested> {
    return administer((get) => get(Deployment).tested());
  }

  async registeredWorkers(): Promise<RegisteredWorkerAnswer[]> {
    return (await administer((get) => get(Register).list())).map(workerAnswer);
  }

  async addWorker(fields: NewWorkerFields, give: Give): Promise<NoticeAnswer> {
    const request = asRequest(NewWorker, fields);
    return decide(this.decider, (get, by) => get(Register).add(request, by, give));
  }

  async rotateWorker(name: string, fields: CredentialsFields, give: Give): Promise<NoticeAnswer> {
    const request = asRequest(CredentialsRequest, fields);
    return decide(this.decider, (get, by) => get(Register).rotate(name, request, by, give));
  }

  async revokeWorker(name: string, fields: { reason?: string }): Promise<RevokedAnswer> {
    const request = asRequest(RevokeRequest, fields);
    const { notice } = await decide(this.decider, (get, by) => get(Register).revoke(name, request, by));
    return { worker: name, notice };
  }

  users(): Promise<UserAnswer[]> {
    return administer(async (get) => {
      const users: UserRecord[] = [];
      for (let part: UserRecord[] | null = null; part?.length !== 0; users.push(...part))
        part = await get(Users).list('', USERS_AT_A_TIME, users.at(-1)?.name ?? '');
      return users.map(userAnswer);
    });
  }

  async addUser(fields: UserFields): Promise<AppointedAnswer> {
    const request = asRequest(NewUser, fields);
    const { name, isAdmin } = await administer((get) => get(UsersAndKeys).add(request, COMMAND_LINE));
    return { user: name, admin: isAdmin };
  }

  async setPassword(name: string, type: () => Promise<string>): Promise<PasswordAnswer> {
    await administer(async (get) => {
      if (!(await get(Users).find(name))) throw new UnknownUser(name);
      const { password } = asRequest(PasswordRequest, { password: await type() });
      await get(UsersAndKeys).setPassword(name, password, COMMAND_LINE);
    });
    return { user: name, password: null };
  }

  async setAdministrator(name: string, isAdmin: boolean): Promise<AppointedAnswer> {
    await administer((get) => get(UsersAndKeys).setAdministrator(name, isAdmin, COMMAND_LINE));
    return { user: name, admin: isAdmin };
  }

  async changeUser(name: string, change: UserChange): Promise<StandingAnswer> {
    await administer((get) =>
      change === 'remove'
        ? get(UsersAndKeys).remove(name, COMMAND_LINE)
        : get(UsersAndKeys).setDisabled(name, change === 'disable', COMMAND_LINE),
    );
    return { user: name, standing: STANDING_AFTER[change] };
  }

  async keys(userName: string): Promise<KeyAnswer[]> {
    const keys = await administer((get) => get(ApiKeys).list(userName));
    return keys.flatMap((key) => (key.revokedAt === null ? [keyAnswer(key, userName)] : []));
  }

  async createKey(userName: string, fields: NewKeyFields): Promise<NewKeyAnswer> {
    const request = asRequest(NewKey, fields);
    const limits = { scope: fields.scope, expiresAt: null, ...keyLimitsOf(request) };
    return newKeyAnswer(
      await administer((get) => get(ApiKeys).create(userName, request.name, COMMAND_LINE, limits)),
    );
  }

  async rotateKey(userName: string, id: number): Promise<NewKeyAnswer> {
    return newKeyAnswer(await administer((get) => get(UsersAndKeys).rotateKey(id, userName, COMMAND_LINE)));
  }

  async revokeKey(idOrPrefix: string): Promise<{ key: number }> {
    return { key: await administer((get) => get(UsersAndKeys).revokeKey(idOrPrefix, COMMAND_LINE)) };
  }
}

const USERS_AT_A_TIME = 500;

const STANDING_AFTER = { disable: 'disabled', enable: 'active', remove: 'removed' } as const;

function newKeyAnswer({ id, name, key, createdAt, scope, expiresAt }: NewApiKey): NewKeyAnswer {
  const created_at = createdAt.toISOString();
  return { id, name, key, created_at, scope, expires_at: expiresAt?.toISOString() ?? null };
}

function workerAnswer(worker: WorkerRecord): RegisteredWorkerAnswer {
  return {
    name: worker.name,
    architectures: worker.architectures,
    private: worker.mayRunPrivate,
    created_at: worker.createdAt.toISOString(),
    revoked_at: worker.revokedAt?.toISOString() ?? null,
    last_seen_at: worker.lastSeenAt?.toISOString() ?? null,
    last_seen_from: worker.lastSeenFrom,
    refusals: worker.refusals,
    last_refusal: worker.lastRefusal,
    last_refused_at: worker.lastRefusedAt?.toISOString() ?? null,
  };
}

function keyAnswer(key: ApiKey, user: string): KeyAnswer {
  const { id, name, prefix, createdAt, lastUsedAt, scope, expiresAt } = key;
  const time = (at: Date | null): string | null => at?.toISOString() ?? null;
  const times = { created_at: createdAt.toISOString(), last_used_at: time(lastUsedAt) };
  return { id, user, name, prefix, ...times, scope, expires_at: time(expiresAt) };
}

function userAnswer(user: UserRecord): UserAnswer {
  return {
    name: user.name,
    admin: user.isAdmin,
    standing: user.standing,
    has_password: user.hasPassword,
    created_at: user.createdAt.toISOString(),
    keys: user.keys,
    sessions: user.sessions,
  };
}

/** What was done before the rest failed stays done. */
function tellDone(error: unknown): never {
  if (error instanceof BrokenOff)
    say(`${error.done.length} runs were changed; the same command goes on with the rest`);
  throw error;
}
