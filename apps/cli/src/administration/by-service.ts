import { Failure } from '../failure';
import type { QueueAnswer, RunAnswer } from '../service/answers';
import { type Query, RefusedByService, type Service } from '../service/service';
import type {
  Administration,
  AppointedAnswer,
  CredentialsAnswer,
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

/** By the API of a service, with a key. */
export class AdministrationByService implements Administration {
  readonly decider: string;

  constructor(
    private readonly service: Service,
    private readonly everyone: boolean,
  ) {
    this.decider = `the key of ${service.address.origin}`;
  }

  pause(fields: ScopeFields): Promise<Omit<PauseAnswer, 'since'>> {
    return this.service.post('/admin/pause', fields);
  }

  resume(fields: ScopeFields): Promise<ScopeAnswer> {
    return this.service.post('/admin/resume', fields);
  }

  drain(fields: DrainFields): Promise<Omit<DrainAnswer, 'since' | 'deadline'>> {
    return this.service.post('/admin/drain', fields);
  }

  undrain(fields: WorkerFields): Promise<{ worker: string }> {
    return this.service.post('/admin/undrain', fields);
  }

  quarantine(fields: WorkerFields): Promise<TrustAnswer> {
    return this.service.post('/admin/quarantine', fields);
  }

  trust(fields: WorkerFields): Promise<TrustAnswer> {
    return this.service.post('/admin/trust', fields);
  }

  decisions(): Promise<DecisionsAnswer> {
    return this.service.get('/admin/decisions');
  }

  async matching(selection: SelectionFields, priority: number | null): Promise<number> {
    const body = { ...this.body(selection, priority), dry_run: true };
    return (await this.service.post<{ runs: number }>(pathOf(priority), body)).runs;
  }

  async change(selection: SelectionFields, priority: number | null): Promise<number[]> {
    const body = this.body(selection, priority);
    const answer = await this.service.post<{ cancelled?: number[]; changed?: number[] }>(
      pathOf(priority),
      body,
    );
    return answer.cancelled ?? answer.changed ?? [];
  }

  async findRun(runId: number): Promise<FoundRun> {
    return this.service.get<RunAnswer>(`/test/${runId}`).catch((error: unknown) => {
      if (error instanceof RefusedByService && error.status === 404) return null;
      if (error instanceof RefusedByService && error.status === 410) return error.message;
      throw error;
    });
  }

  async tested(): Promise<{ suites: string[]; architectures: string[] }> {
    const queues = await this.service.get<QueueAnswer[]>('/queues');
    return {
      suites: [...new Set(queues.map(({ suite }) => suite))],
      architectures: [...new Set(queues.map(({ arch }) => arch))],
    };
  }

  async registeredWorkers(): Promise<RegisteredWorkerAnswer[]> {
    return (await this.service.get<{ workers: RegisteredWorkerAnswer[] }>('/admin/workers')).workers;
  }

  addWorker(fields: NewWorkerFields, give: Give): Promise<NoticeAnswer> {
    return this.given('/admin/workers', fields, give);
  }

  rotateWorker(name: string, fields: CredentialsFields, give: Give): Promise<NoticeAnswer> {
    return this.given(`/admin/workers/${encodeURIComponent(name)}/rotate`, fields, give);
  }

  revokeWorker(name: string, fields: { reason?: string }): Promise<RevokedAnswer> {
    return this.service.post(`/admin/workers/${encodeURIComponent(name)}/revoke`, fields);
  }

  async users(): Promise<UserAnswer[]> {
    const users: UserAnswer[] = [];
    for (let after: string | null = ''; after !== null;) {
      const query: Query = after === '' ? {} : { after };
      const part: { users: UserAnswer[]; after: string | null } = await this.service.get(
        '/admin/users',
        query,
      );
      users.push(...part.users);
      after = part.after;
    }
    return users;
  }

  addUser(fields: UserFields): Promise<AppointedAnswer> {
    return this.service.post('/admin/users', fields);
  }

  async setPassword(name: string, type: () => Promise<string>): Promise<PasswordAnswer> {
    return this.service.post(`/admin/users/${encodeURIComponent(name)}/password`, { password: await type() });
  }

  setAdministrator(name: string, isAdmin: boolean): Promise<AppointedAnswer> {
    return this.service.post(`/admin/users/${encodeURIComponent(name)}/administrator`, { admin: isAdmin });
  }

  changeUser(name: string, change: UserChange): Promise<StandingAnswer> {
    return this.service.post(`/admin/users/${encodeURIComponent(name)}/${change}`);
  }

  async keys(userName: string): Promise<KeyAnswer[]> {
    return (await this.allKeys(userName)).filter(({ user }) => user === userName);
  }

  async createKey(
    userName: string,
    fields: NewKeyFields,
    password: () => Promise<string>,
  ): Promise<NewKeyAnswer> {
    return this.service.post('/keys', fields, { headers: basic(userName, await password()) });
  }

  async rotateKey(userName: string, id: number, password: () => Promise<string>): Promise<NewKeyAnswer> {
    const headers = basic(userName, await password());
    return this.service.post(`/keys/${id}/rotate`, {}, { headers });
  }

  async revokeKey(idOrPrefix: string): Promise<{ key: number }> {
    const isId = /^[1-9]\d{0,9}$/.test(idOrPrefix);
    const found = isId ? [] : (await this.allKeys(idOrPrefix)).filter(({ prefix }) => prefix === idOrPrefix);
    const id = isId ? idOrPrefix : found[0]?.id;
    if (id === undefined) throw new Failure(`there is no valid key ${idOrPrefix}`);
    return this.service.post(`/admin/keys/${id}/revoke`);
  }

  /** @param search a part of the user's name, of the key's or of its beginning */
  private async allKeys(search: string): Promise<KeyAnswer[]> {
    const keys: KeyAnswer[] = [];
    for (let before: number | null | undefined = undefined; before !== null;) {
      const query: Query = { search, before };
      const part: { keys: KeyAnswer[]; before: number | null } = await this.service.get('/admin/keys', query);
      keys.push(...part.keys);
      before = part.before;
    }
    return keys;
  }

  private async given(path: string, fields: object, give: Give): Promise<NoticeAnswer> {
    const { credentials, notice } = await this.service.post<
      NoticeAnswer & { credentials: CredentialsAnswer }
    >(path, fields);
    await give(credentials);
    return { notice };
  }

  private body(selection: SelectionFields, priority: number | null): object {
    return {
      ...selection,
      ...(priority !== null && { priority }),
      ...(this.everyone && { everyone: true }),
    };
  }
}

function basic(userName: string, password: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${userName}:${password}`).toString('base64')}` };
}

function pathOf(priority: number | null): string {
  return priority === null ? '/test/cancel' : '/test/priority';
}
