import type { Clock } from '@proctor/clock';

/** Something outside gave no answer in time; whether it was done is not known. */
export class TimedOut extends Error {
  constructor(what: string, ms: number) {
    super(`${what} took longer than ${ms} ms`);
  }
}

/** What `work` comes to. @throws TimedOut when that takes longer than `ms`; what comes later is dropped */
export function limited<T>(work: Promise<T>, what: string, ms: number, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new TimedOut(what, ms)));
    work.then(resolve, reject).finally(cancel);
  });
}
