const DAY_MS = 86_400_000;

/** The limit of age: a package is stale when its newest result is older. @param staleDays `api.staleDays` */
export function staleBefore(staleDays: number, now = new Date(Date.now())): Date {
  return new Date(now.getTime() - staleDays * DAY_MS);
}
