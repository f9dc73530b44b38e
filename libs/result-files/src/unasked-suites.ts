import type { OtherSuite } from '@proctor/contracts';
import type { PackageVersions } from './installed-packages';
import { type AskedRun, isNamedBy, testedBy, wordsOf } from './named-packages';

/** Of a hostile log there may be any number. */
const SUITES_MAX = 10;
const NAMES_MAX = 20;

/** Suites that belong to another one: who asks for that one asks for them. */
const COMPANIONS = ['-security', '-updates', '-proposed-updates', '/updates'];
/** What is not complete without another suite. */
const ADDITION = /(?:-backports|-backports-sloppy|-security|-updates|-proposed-updates|\/updates)$/;
/** Names that stand for another suite in time: by the name alone it is not known for which. */
const MOVING = /^(?:(?:old)*stable|testing)$/;
const FIXED: readonly string[] = ['sid', 'experimental'];

/**
 * Suites of which nobody asked for packages, but the tested package came from there, or one that the trigger or the pins name. None
 * of a run with extra apt sources, since these have suites of their own.
 */
export function unaskedSuites(
  run: AskedRun,
  { added, suites }: { added: PackageVersions; suites: ReadonlyMap<string, string> },
): OtherSuite[] {
  if (run.extraAptSources.length > 0) return [];
  const words = [...testedBy(run), ...wordsOf(run)];
  const found = new Map<string, string[]>();
  for (const [name, suite] of suites) {
    if (isAsked(suite, run) || !isNamedBy(words, name, added.get(name) ?? null)) continue;
    found.set(suite, [...(found.get(suite) ?? []), name]);
  }
  return [...found].slice(0, SUITES_MAX).map(([suite, names]) => {
    const packages = names.sort().slice(0, NAMES_MAX);
    return { suite, packages, more: names.length - packages.length };
  });
}

function isAsked(found: string, run: AskedRun): boolean {
  const suite = oneName(found);
  const pinned = run.pinPackages.map(([, from]) => oneName(from));
  const own = oneName(run.suite);
  const whole = own.replace(ADDITION, '');
  const asked = [own, whole, ...COMPANIONS.map((companion) => whole + companion), ...pinned];
  // Experimental has only what differs from sid.
  if (asked.includes('experimental')) asked.push('sid');
  return asked.includes(suite) || asked.some((each) => canBeTheSame(each, suite));
}

/** Whether one of them is a name that moves, which the other may stand for as well. */
function canBeTheSame(one: string, other: string): boolean {
  const [a, b] = [one.replace(ADDITION, ''), other.replace(ADDITION, '')];
  return MOVING.test(a) !== MOVING.test(b) && !FIXED.includes(a) && !FIXED.includes(b);
}

function oneName(suite: string): string {
  return suite === 'unstable' ? 'sid' : suite === 'rc-buggy' ? 'experimental' : suite;
}
