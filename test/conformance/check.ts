import type { Instance } from './instance';

/** What a check needs beyond the key; who runs the suite may not have it. */
export type Ability =
  | 'other key'
  | 'password'
  | 'admin key'
  | 'idle architecture'
  | 'idle backend'
  | 'other suite'
  | 'finishing runs'
  | 'stub'
  | 'apt source'
  | 'closed apt source'
  | 'history length'
  | 'items limit'
  | 'rate limit'
  | 'changing the reject list';

/** One line of the interface, or of what it leaves open, as something that an instance can fail. */
export interface Check {
  /** Group and number, stable: reports and the table of planted faults name it. */
  id: string;
  title: string;
  needs?: Ability[];
  /** Milliseconds, when it takes longer than most. */
  timeoutMs?: number;
  /** @throws NotConforming, NotTried, or whatever the connection throws */
  run(instance: Instance): Promise<void>;
}

/** The instance answered otherwise than it should. */
export class NotConforming extends Error {
  override name = 'NotConforming';
}

/** The instance, or who runs the suite, has not got what the check needs. */
export class NotTried extends Error {
  override name = 'NotTried';
}
