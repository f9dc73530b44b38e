import type { Clock } from './clock';

/** There was no answer in time; whether the work was done is not known. */
export class TimedOut extends Error {
  constructor(what: string, ms: number) {
    super(`${what} took longer than ${ms} ms`);
  }
}

/** What `work` comes to. @throws TimedOut when that takes longer than `ms`; what comes later is dropped */
export function withTimeLimit<T>(work: Promise<T>, what: string, ms: number, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new TimedOut(what, ms)));
    work.then(resolve, reject).finally(cancel);
  });
}

/** What `work` comes to, or null when it rejects or takes longer than `ms`. Never rejects. */
export function within<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T | null> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(null));
    const settle = (value: T | null) => {
      cancel();
      resolve(value);
    };
    work.then(settle, () => settle(null));
  });
}
