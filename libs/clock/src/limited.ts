import type { Clock } from './clock';

/** No answer came in time; the work may still be done. */
export class TimedOut extends Error {
  constructor(what: string, ms: number) {
    super(`${what} took longer than ${ms} ms`);
  }
}

/** The result of `work`. @throws TimedOut when it takes longer than `ms`; a later result is dropped */
export function withTimeLimit<T>(work: Promise<T>, what: string, ms: number, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new TimedOut(what, ms)));
    work.then(resolve, reject).finally(cancel);
  });
}

/** The result of `work`, or null when it rejects or takes longer than `ms`. Never rejects. */
export function waitAtMost<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T | null> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(null));
    const settle = (value: T | null) => {
      cancel();
      resolve(value);
    };
    work.then(settle, () => settle(null));
  });
}
