import type { PauseResource } from '@proctor/resources';
import type { Decision } from '@proctor/contracts';
import { scopeName } from '@proctor/contracts';
import { utc } from '../layout/times';

/** The user, the time and the reason of a decision: `root (since 2026-11-20 15:40:51 UTC): the mirror is away`. */
export function decidedBy({ by, reason, since }: Decision): string {
  return `${by} (since ${utc(new Date(since))}): ${reason}`;
}

export function pauseSentence(pause: PauseResource): string {
  const name = scopeName(pause);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} is paused by ${decidedBy(pause)}`;
}
