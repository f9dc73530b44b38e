import type { Ability, Instance } from './instance';

/** One line of the interface, or of what it leaves open, as something that an instance can fail. */
export interface Check {
  /** Group and number, stable: reports and the table of planted faults name it. */
  id: string;
  title: string;
  needs?: Ability[];
  /** @throws NotConforming, NotTried, or whatever the connection throws */
  run(instance: Instance): Promise<void>;
}
