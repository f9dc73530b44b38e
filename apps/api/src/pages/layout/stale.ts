const DAY_MS = 86_400_000;

/** A newest result that ended before is stale. @param staleDays `api.staleDays` */
export function staleBefore(staleDays: number, now = new Date(Date.now())): Date {
  return new Date(now.getTime() - staleDays * DAY_MS);
}
