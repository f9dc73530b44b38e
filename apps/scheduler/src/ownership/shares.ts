/** The architectures that a scheduler should release and claim, from those that it owns and the living schedulers. */
export interface Share {
  /** Owned architectures to release: for another scheduler, or because the deployment no longer has them. */
  release: string[];
  /** Other architectures to try, in this order, until `architecturesMax` are owned. */
  claim: string[];
  architecturesMax: number;
}

/**
 * Spreads the architectures evenly: no scheduler owns more than its part, rounded up. Each scheduler starts with
 * different ones, so that they do not compete.
 * @param living ids of all living schedulers, sorted, with `scheduler`
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
