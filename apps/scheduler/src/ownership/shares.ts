/** What one scheduler should do about ownership, seen what it owns and who else lives. */
export interface Share {
  /** Owned ones to give up, because another scheduler is to have them or the deployment has them no more. */
  release: string[];
  /** Not owned ones to try, in this order, until `architecturesMax` are owned. */
  claim: string[];
  architecturesMax: number;
}

/**
 * Spreads the architectures evenly: no scheduler takes more than its part, rounded up. Each scheduler begins with other
 * ones, so that they do not race for the same.
 * @param living ids of all living schedulers, sorted, `scheduler` included
 */
export function shareOf(
  scheduler: string,
  living: string[],
  architectures: string[],
  owned: ReadonlySet<string>,
): Share {
  const ownPlace = Math.max(0, living.indexOf(scheduler));
  const count = Math.max(1, living.length);
  const architecturesMax = Math.ceil(architectures.length / count);
  const preferred = architectures.filter((_, place) => place % count === ownPlace);
  const others = architectures.filter((_, place) => place % count !== ownPlace);
  const ranked = [...preferred, ...others];
  return {
    release: [
      ...[...owned].filter((arch) => !architectures.includes(arch)),
      ...ranked.filter((arch) => owned.has(arch)).slice(architecturesMax),
    ],
    claim: ranked.filter((arch) => !owned.has(arch)),
    architecturesMax,
  };
}
