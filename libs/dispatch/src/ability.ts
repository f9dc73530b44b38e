import type { LeaseRequest } from '@proctor/contracts';
import type { DispatchedRun } from './journal-records';

/** The requirements of a run on the slot that executes it. */
export interface Needs {
  suite: string;
  backend: string;
  variant: string;
  /** The size class of its package, which the slot must declare; null if it has none. */
  sizeClass: string | null;
  /** Only some workers may execute it. */
  isPrivate: boolean;
  /** Workers on which it has failed, sorted: it goes to another worker if one can execute it. */
  avoided: readonly string[];
}

/** What a worker offers, from its requests for a lease. */
export type Offer = Pick<LeaseRequest, 'testbeds' | 'variants' | 'sizeClasses' | 'privateRunsOnly'>;

export function needsOf(run: DispatchedRun, sizeClass: string | null): Needs {
  const { suite, backend, variant, isPrivate, failedOn } = run;
  return { suite, backend, variant, sizeClass, isPrivate, avoided: failedOn.toSorted() };
}

/** Whether a slot of the worker could execute such a run at once; whether it should is another matter. */
export function canExecute(offer: Offer, needs: Needs): boolean {
  const { suite, backend } = needs;
  return (
    offersRoom(offer, needs) &&
    offer.testbeds.some(
      (testbed) => testbed.suite === suite && testbed.backend === backend && testbed.state === 'ready',
    )
  );
}

/** Whether at most a testbed is missing, and the right to private runs. */
export function offersRoom(
  { variants, sizeClasses, privateRunsOnly }: Omit<Offer, 'testbeds'>,
  { variant, sizeClass, isPrivate }: Omit<Needs, 'avoided'>,
): boolean {
  return (
    (isPrivate || privateRunsOnly !== true) &&
    variants.includes(variant) &&
    (sizeClass === null || (sizeClasses ?? []).includes(sizeClass))
  );
}
