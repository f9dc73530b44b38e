import type { Clock } from '@proctor/clock';

/** Waits for `work`, at most `ms`. True when it settled in time; a rejection is the caller's to see elsewhere. */
export async function within(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  let cancel = (): void => undefined;
  const late = new Promise<boolean>((resolve) => {
    cancel = clock.after(ms, () => resolve(false));
  });
  const settled = work.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, late]).finally(() => cancel());
}
