import { type RequestWait, currentWait, runWithin } from './request-wait';
import { DatabaseUnavailable, errorCode } from './unavailable';

/** How tasks are done as a group. */
interface GroupWork<Task, Outcome> {
  /** Does the tasks in one transaction, all or none. @returns the outcome of each task, in the same order */
  together(tasks: Task[]): Promise<Outcome[]>;
  /** Whether the task may be in a group with `others`. */
  fits(task: Task, others: Task[]): boolean;
  /** The longest time that one request may wait for the database, in milliseconds. */
  requestTimeoutMs: number;
}

interface Member<Task, Outcome> {
  task: Task;
  wait: RequestWait | undefined;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

/** A group that takes longer than this no longer holds up the next group, in milliseconds. */
const HOLDS_OTHERS_MS = 50;

/** After a group of several requests, the next group waits this long for as many requests, in milliseconds. */
const FOLLOWED_WITHIN_MS = 2;

/**
 * Collects requests that arrive during a transaction into the next transaction: a commit costs as much for many
 * requests as for one. Each request has its own outcome and its own error. If a group fails, its tasks are done again
 * one by one, unless the database is unavailable or the transaction may have been committed.
 */
export class CommitGroups<Task, Outcome> {
  private waiting: Member<Task, Outcome>[] = [];
  private underWay = 0;
  private lastLength = 1;
  /** The timer that starts the next group. */
  private due: { at: 'once' | 'later'; cancel: () => void } | null = null;

  constructor(private readonly work: GroupWork<Task, Outcome>) {}

  /** @throws the error that the task would get alone */
  async runTask(task: Task): Promise<Outcome> {
    const wait = currentWait();
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
   * Requests that were read in the same turn of the event loop form one group. A group is often followed by equally
   * many requests, which arrive a little later one after the other; so a smaller group waits for them.
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

  /**
   * Takes the first member and all that fit it from the queue. A member that has used more than half of its time
   * forms a group alone: its time limit must not end the work of others.
   */
  private gather(): Member<Task, Outcome>[] {
    const isInHaste = ({ wait }: Member<Task, Outcome>): boolean =>
      (wait?.ms ?? 0) > this.work.requestTimeoutMs / 2;
    const [first, ...others] = this.waiting as [Member<Task, Outcome>, ...Member<Task, Outcome>[]];
    const group = [first];
    const rest: Member<Task, Outcome>[] = [];
    const tasks = [first.task];
    for (const member of others) {
      if (isInHaste(first) || isInHaste(member) || !this.work.fits(member.task, tasks)) {
        rest.push(member);
      } else {
        group.push(member);
        tasks.push(member.task);
      }
    }
    this.waiting = rest;
    return group;
  }

  /** Settles the promises of all members. Never rejects. */
  private async endGroup(members: Member<Task, Outcome>[]): Promise<void> {
    try {
      // The first member has waited the longest.
      const tasks = members.map(({ task }) => task);
      const outcomes = await runWithin(members[0]!.wait, () => this.work.together(tasks));
      members.forEach(({ resolve }, index) => resolve(outcomes[index]!));
    } catch (error) {
      if (members.length === 1 || isOfAll(error)) members.forEach(({ reject }) => reject(error));
      else await Promise.all(members.map((member) => this.endGroup([member])));
    }
  }
}

/** Whether each member alone would get the same error. An error from the server may be caused by one member only. */
function isOfAll(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false;
  return error.extent === 'unknown' || !/^[0-9A-Z]{5}$/.test(errorCode(error.cause) ?? '');
}
