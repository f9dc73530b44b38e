import type { MigrationInterface } from 'typeorm';
import { Baseline1766500000000 } from './baseline';

/** The migrations in the order in which they run; the number is the time in milliseconds when it was written. */
export const MIGRATIONS: (new () => MigrationInterface)[] = [Baseline1766500000000];

/** The message about a database or a backup with migrations from before the baseline. */
export const BEFORE_BASELINE = 'it was made by a version before 1.0.0, and there is no upgrade from that';

/** @param names of the migrations that a database has run */
export function isBeforeBaseline(names: string[]): boolean {
  return names.some((name) => writtenAt(name) < writtenAt(Baseline1766500000000.name));
}

/** The digits at the end of its name. */
const TIME_DIGITS = 13;

function writtenAt(name: string): number {
  return Number(name.slice(-TIME_DIGITS));
}
