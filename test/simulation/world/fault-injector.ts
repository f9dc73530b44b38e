import type { Fate, Travelling } from '@test/support/memory-bus';
import type { Random } from './random';

const MESSAGE_KINDS = ['request', 'answer', 'signal', 'report', 'delivery', 'acknowledgement'] as const;

/** Every fault that the simulation knows; a suite of seeds in which one never fired proves nothing about it. */
export const FAULTS = [
  ...MESSAGE_KINDS.flatMap((kind) => [`${kind} lost`, `${kind} twice`, `${kind} late`]),
  'run committed late',
  'turn refused',
  'turn slow',
  'turn hung',
  'run cancelled during a turn',
  'turn committed, but not confirmed',
  'message that the database refuses',
  'load hung',
  'database away',
  'database slow',
  'database frozen',
  'database restored',
  'connections to the database swallowed',
  'clock of the database stepped forth',
  'clock of the database stepped back',
  'bus away',
  'bus frozen',
  'connection to the bus swallowed',
  'streams full',
  'streams lost',
  'staged file lost',
  'store away',
  'store slow',
  'report unreadable',
  'worker could not begin',
  'result could not be kept',
  'worker killed',
  'worker lost for good',
  'worker frozen',
  'worker stopped',
  'worker cut off',
  'machine broken',
  'two workers of one name',
  'scheduler killed',
  'scheduler frozen',
  'scheduler suspended with its clock',
  'two owners',
];

/** Says when something goes wrong, and remembers what did. */
export class FaultInjector {
  readonly fired = new Map<string, number>();
  private active = true;

  constructor(private readonly random: Random) {}

  /** From here on everything works. */
  end(): void {
    this.active = false;
  }

  get areOver(): boolean {
    return !this.active;
  }

  strikes(fault: string, probability: number): boolean {
    if (!this.active || !this.random.chance(probability)) return false;
    this.note(fault);
    return true;
  }

  note(fault: string): void {
    this.fired.set(fault, (this.fired.get(fault) ?? 0) + 1);
  }

  fateOf({ kind }: Travelling): Fate {
    if (this.strikes(`${kind} lost`, 0.03)) return 'drop';
    if (this.strikes(`${kind} twice`, 0.03)) return 'twice';
    if (this.strikes(`${kind} late`, 0.03)) return { delayMs: this.random.between(100, 40_000) };
    return { delayMs: this.random.between(0, 10) };
  }
}
