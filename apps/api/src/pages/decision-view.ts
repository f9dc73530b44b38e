import type { Decision } from '@proctor/contracts';
import { scopeName } from '../admin/decision-object';
import type { PauseObject } from '../admin/decision-object';
import { utc } from './run-view';

/** Who decided it, and why: `root (since 2026-11-20 15:40:51 UTC): the mirror is away`. */
export function decidedBy({ by, reason, since }: Decision): string {
  return `${by} (since ${utc(new Date(since))}): ${reason}`;
}

export function pauseSentence(pause: PauseObject): string {
  return `${scopeName(pause)} is paused by ${decidedBy(pause)}`;
}
