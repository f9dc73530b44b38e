import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line of a sandbox's view of the machine's files: `-` covers what lies at the path, `+` shows it all the same. */
interface SightRule {
  sign: '-' | '+';
  path: string;
}

/**
 * The lines of a view, parents first: the longest path that holds a file decides whether it is seen, and of equal ones
 * the one that covers it.
 */
export function sightLines(hidden: string[], visible: string[]): string {
  const rules: SightRule[] = [
    ...visible.map((path) => ({ sign: '+' as const, path })),
    ...hidden.map((path) => ({ sign: '-' as const, path })),
  ];
  const depth = ({ path }: SightRule) => path.split('/').length;
  return rules
    .sort((one, other) => depth(one) - depth(other))
    .map(({ sign, path }) => `${sign} ${path}`)
    .join('\n');
}

/** The program of the first process of a sandbox, in Perl; its arguments stand at its beginning. */
export const INIT = readFileSync(join(__dirname, 'sandbox-init.pl'), 'utf8');
