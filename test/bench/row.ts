import type { Place } from './place';

/** What one round gave, by name. */
export type Numbers = Record<string, number>;

/** What the median of a figure should be. Null: it is shown, not judged. */
export type Mark = { atLeast: number } | { atMost: number } | null;

/** A number of a row that is shown, and judged by its mark. */
export interface Figure {
  what: string;
  /** The unit of the measured number and of the one that it is compared with. */
  unit: string;
  /** Name of the number that `measured` gave. */
  of: string;
  /** Name of the number that `bare` gave in the same round; the measured number alone is judged when absent. */
  against?: string;
  /** How the two are compared; `measured / bare` when absent. */
  by?: 'ratio' | 'difference';
  mark: Mark;
}

/** One line of what Proctor exists for, beside what a user would take instead or what the machine can do. */
export interface Row {
  /** The name by which the command line selects the row. */
  name: string;
  what: string;
  /** The peer or the limit; null where only the number itself is judged. */
  against: string | null;
  figures: Figure[];
  /** How often both are measured, in turns; one more round comes before, and does not count. */
  rounds: number;
  /** Takes so long, or so much disk, that it has to be asked for by name or with `--large`. */
  isLarge?: true;
  /** Left out of tiny sizes: a testbed image has to be built first, or another row does the same at another number. */
  isNeverQuick?: true;
  open: (place: Place) => Promise<OpenRow>;
}

export interface OpenRow {
  measured(): Promise<Numbers>;
  bare?(): Promise<Numbers>;
  /** Ends and removes whatever was opened. */
  close(): Promise<void>;
}
