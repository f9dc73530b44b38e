import { type RequestWait, requestWait, within } from './request-wait';
import { DatabaseUnavailable, errorCode } from './unavailable';

/** What a group does for its members. */
interface GroupWork<Task, Outcome> {
  /** Does the tasks in one transaction, all or none. @returns what became of each, in their order */
  together(tasks: Task[]): Promise<Outcome[]>;
  /** Whether one more task may be in a group with these. */
  fits(task: Task, others: Task[]): boolean;
  /** Longest wait of one request for the database, milliseconds. */
  requestTimeoutMs: number;
}

interface Member<Task, Outcome> {
  task: Task;
  wait: RequestWait | undefined;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

/** After so long the next group begins beside a group, milliseconds. */
const HOLDS_OTHERS_MS = 50;

/** After a group of several, so long is waited for as many requests again, milliseconds. */
const FOLLOWED_WITHIN_MS = 2;

/**
 * Has requests that come while a transaction is under way share the next one: a commit costs as much for many as for one. Each
 * has its own outcome and its own error. What fails together is done again one by one, unless the database is away or it is
 * not known whether it was done.
 */
export class CommitGroups<Task, Outcome> {
  private waiting: Member<Task, Outcome>[] = [];
  private underWay = 0;
  private lastLength = 1;
  /** Begins the group that is due. */
  private due: { at: 'once' | 'later'; cancel: () => void } | null = null;

  constructor(private readonly work: GroupWork<Task, Outcome>) {}

  /** @throws what the task meets when it is done alone */
  async runTask(task: Task): Promise<Outcome> {
    const wait = requestWait();
    wait?.start();
    try {
      return await new Promise<Outcome>((resolve, reject) => {
        this.waiting.push({ task, wait, resolve, reject });
        this.startGroups();
      });
    } finally {
      wait?.end();
    }
  }

  /**
   * Requests that were read in the same turn of the event loop are in one group. Those of the group before are often followed by
   * as many, which come a little later one after the other.
   */
  private startGroups(): void {
    const { length } = this.waiting;
    if (this.underWay > 0 || length === 0) return;
    const at = length < this.lastLength ? 'later' : 'once';
    if (this.due?.at === at || this.due?.at === 'once') return;
    this.due?.cancel();
    const start = (): void => {
      this.due = null;
      this.start();
    };
    if (at === 'once') {
      const immediate = setImmediate(start);
      this.due = { at, cancel: () => clearImmediate(immediate) };
    } else {
      const timer = setTimeout(start, FOLLOWED_WITHIN_MS);
      this.due = { at, cancel: () => clearTimeout(timer) };
    }
  }

  private start(): void {
    const members = this.gather();
    this.lastLength = members.length;
    this.underWay += 1;
    let isHolding = true;
    const letOthersGo = (): void => {
      if (!isHolding) return;
      isHolding = false;
      this.underWay -= 1;
      this.startGroups();
    };
    const timer = setTimeout(letOthersGo, HOLDS_OTHERS_MS);
    void this.endGroup(members).then(() => {
      clearTimeout(timer);
      letOthersGo();
    });
  }

  /** The first, and all that fit it. One whose time is half over is alone: it must not cut short the time of others. */
  private gather(): Member<Task, Outcome>[] {
    const isInHaste = ({ wait }: Member<Task, Outcome>): boolean =>
      (wait?.ms ?? 0) > this.work.requestTimeoutMs / 2;
    const [first, ...others] = this.waiting as [Member<Task, Outcome>, ...Member<Task, Outcome>[]];
    const group = [first];
    const left: Member<Task, Outcome>[] = [];
    const tasks = [first.task];
    for (const member of others) {
      if (isInHaste(first) || isInHaste(member) || !this.work.fits(member.task, tasks)) {
        left.push(member);
      } else {
        group.push(member);
        tasks.push(member.task);
      }
    }
    this.waiting = left;
    return group;
  }

  /** Never rejects. */
  private async endGroup(members: Member<Task, Outcome>[]): Promise<void> {
    try {
      // The first has waited for the longest time.
      const tasks = members.map(({ task }) => task);
      const outcomes = await within(members[0]!.wait, () => this.work.together(tasks));
      members.forEach(({ resolve }, place) => resolve(outcomes[place]!));
    } catch (error) {
      if (members.length === 1 || isOfAll(error)) members.forEach(({ reject }) => reject(error));
      else await Promise.all(members.map((member) => this.endGroup([member])));
    }
  }
}

/** Whether each member alone would get the same error. An error of the server may be due to one of them. */
function isOfAll(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false;
  return error.changed === 'unknown' || !/^[0-9A-Z]{5}$/.test(errorCode(error.cause) ?? '');
}
