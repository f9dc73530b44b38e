import type { Follow } from '@proctor/database';
import { packagePath, shortRunPath } from '../../runs/page-paths';
import { triggerPath } from '../../runs/trigger.service';

/** What the page of a package, a run, a trigger or packages with a common beginning offers to follow. */
export interface Followable extends Follow {
  /** Null: the reader is not logged in. */
  isFollowed: boolean | null;
  /** What it is, in words. */
  words: string;
}

export function followableOf(follow: Follow, isFollowed: boolean | null): Followable {
  return { ...follow, isFollowed, words: wordsOf(follow) };
}

function wordsOf({ kind, name }: Follow): string {
  if (kind !== 'package') return `the ${kind} ${name}`;
  return name.includes('*') ? `all packages ${name}` : `the package ${name}`;
}

/** The page of what is followed. */
export function followPath({ kind, name }: Follow): string {
  if (kind === 'run') return shortRunPath(Number(name));
  if (kind === 'trigger') return triggerPath(name);
  return name.endsWith('*') ? `/packages/${name.slice(0, -1)}/` : packagePath(name);
}
