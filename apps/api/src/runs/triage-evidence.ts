import { isUntested, lacksInit } from '@proctor/contracts';
import type { PackageStatus, ReferenceRun, RunRecord, SameError } from '@proctor/database';
import type { ComparedPackages } from './comparison';
import { isFresh } from './trigger-groups';
import { comparisonPath, logLinePath, shortRunPath } from './page-paths';

/** The facts about a failed run and about others. */
export interface TriageFacts {
  /** A finished run that was not cancelled and has a verdict other than pass and neutral. */
  run: RunRecord;
  /** The status of the package on the run's place; null if no run counts. */
  here: PackageStatus | null;
  /** The status of the package on other places. */
  elsewhere: PackageStatus[];
  reference: ReferenceRun | null;
  /** The newest earlier run that passed with the same version, on the same backend if there is one. */
  passOfVersion: RunRecord | null;
  /** The newest earlier run that passed with the same pins and sources. */
  lastPass: RunRecord | null;
  /** The changed packages between the last pass and this run; null if unknown. */
  changes: ComparedPackages | null;
  /** The newest later run of the same test. */
  later: RunRecord | null;
  sameError: SameError[];
  /** The first line of the log which says that a service was not started for lack of an init; null without one. */
  withoutInitLine: number | null;
}

/** An answered question of the decision tree. */
export interface TriageEvidence {
  question: string;
  answer: string;
  /** Pages that show it. */
  links: { path: string; name: string }[];
}

const NAMES_MAX = 5;
/** The maximum number of other packages with the same error in a search: there may be more. */
export const SAME_ERROR_MAX = 20;

/** All questions of the decision tree with their answers, for any conclusion. */
export function evidenceOf(facts: TriageFacts): TriageEvidence[] {
  const { run, later } = facts;
  const wasTested = run.verdict !== 'tmpfail' && !isUntested(run.verdict);
  const ofTheTest: (TriageEvidence | null)[] = [
    {
      question: 'Did it run to the end?',
      answer: wasTested ? 'Yes.' : `No: ${run.message ?? run.verdict}`,
      links: [],
    },
    later && {
      question: 'Was it retried?',
      answer: later.state === 'finished' ? `Yes: ${later.verdict}.` : 'Yes: it is waiting or running.',
      links: [runLink(later.runId)],
    },
  ];
  // Other runs of the package do not matter if the request is the fault.
  const isOfRequest = isUntested(run.verdict) || run.trouble === 'request';
  const rows = isOfRequest ? ofTheTest : [...ofTheTest, ...evidenceOfPackage(facts)];
  return rows.filter((row) => row !== null);
}

/** Evidence from runs of the package and of others. */
function evidenceOfPackage(facts: TriageFacts): (TriageEvidence | null)[] {
  const { run, here, passOfVersion } = facts;
  return [
    elsewhereEvidence(facts),
    referenceEvidence(facts),
    isKnown(run)
      ? {
          question: `Has ${run.version} passed here before?`,
          answer: passOfVersion
            ? `Yes, on ${dayOf(passOfVersion.finishedAt!)}${testbedOf(passOfVersion, run)}.`
            : 'No.',
          links: passOfVersion ? [runLink(passOfVersion.runId)] : [],
        }
      : null,
    {
      question: 'Is it flaky?',
      answer: here
        ? `${here.isFlaky ? 'Yes' : 'No'}: ${Math.round(here.flakiness * 100)} % of its last runs changed between pass and fail within a version.`
        : 'Unknown: there are too few runs.',
      links: [],
    },
    changesEvidence(facts),
    initEvidence(facts),
    sameErrorEvidence(facts),
  ];
}

function elsewhereEvidence({ run, elsewhere }: TriageFacts): TriageEvidence {
  const question = 'Does it fail elsewhere too?';
  if (elsewhere.length === 0) return { question, answer: 'It is not tested elsewhere.', links: [] };
  const failing = elsewhere.filter(({ latest }) => latest.verdict === 'fail');
  const here = failing.filter(({ suite }) => suite === run.suite);
  const shownPlaces = [...here, ...failing.filter((place) => !here.includes(place))].slice(0, NAMES_MAX);
  const answer =
    failing.length === 0
      ? `No, on none of ${elsewhere.length}.`
      : `Yes, on ${failing.length} of ${elsewhere.length}.`;
  const links = shownPlaces.map(({ suite, arch, latest }) => {
    return { path: shortRunPath(latest.runId), name: `${suite}/${arch}` };
  });
  return { question, answer, links };
}

function referenceEvidence({ run, reference }: TriageFacts): TriageEvidence {
  const question = 'Does the reference fail?';
  if (!reference) return { question, answer: 'There is none.', links: [] };
  const { verdict, version, date, runId } = reference;
  const age = isFresh(reference, run.finishedAt!) ? '' : ', too long before';
  const how = verdict === 'fail' ? 'Yes: it failed' : 'No: it passed';
  return {
    question,
    answer: `${how} with ${version} on ${dayOf(date)}${age}.`,
    links: [runLink(runId)],
  };
}

/** Null where nothing in the log asks for an init, or the testbed has one. */
function initEvidence({ run, withoutInitLine: line }: TriageFacts): TriageEvidence | null {
  if (line === null || !lacksInit(run.backend)) return null;
  const answer = `Perhaps: ${run.backend} has none, and a service was not started.`;
  const links = [{ path: logLinePath(run, line), name: `Line ${line} of the log` }];
  return { question: 'Does it need an init?', answer, links };
}

function changesEvidence({ run, lastPass, changes }: TriageFacts): TriageEvidence {
  const question = 'What has changed since it last passed?';
  if (!lastPass) return { question, answer: 'It has never passed here.', links: [] };
  const links = [{ path: comparisonPath(lastPass.runId, run.runId), name: 'Compare' }];
  if (!changes) return { question, answer: 'Unknown: one of the two runs has no list of packages.', links };
  const { changed } = changes;
  if (changed.length === 0) return { question, answer: 'No package.', links };
  const names = changed
    .slice(0, NAMES_MAX)
    .map(({ names, a, b }) => `${names[0]} ${a ?? 'none'} → ${b ?? 'none'}`);
  const total = changed.reduce((sum, { names }) => sum + names.length, 0);
  const rest = total - names.length;
  const count = total === 1 ? '1 package version' : `${total} package versions`;
  const answer = `${count}: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
  return { question, answer, links };
}

function sameErrorEvidence({ sameError }: TriageFacts): TriageEvidence {
  const question = 'Do other packages fail with the same error?';
  if (sameError.length === 0) return { question, answer: 'No other package is known.', links: [] };
  const links = sameError.slice(0, NAMES_MAX).map((each) => {
    return { path: shortRunPath(each.runId), name: each.package };
  });
  return { question, answer: `Yes, ${packagesOf(sameError)}.`, links };
}

function runLink(runId: number): TriageEvidence['links'][number] {
  return { path: shortRunPath(runId), name: `run ${runId}` };
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The backend of another run, where it is not the same. */
function testbedOf({ backend }: RunRecord, run: RunRecord): string {
  return backend === run.backend ? '' : `, but on ${backend} and not on ${run.backend}`;
}

/** Whether the tested version is known. */
export function isKnown({ version }: RunRecord): boolean {
  return version !== null && version !== 'n/a';
}

/** `2 other packages`, `at least 20 other packages` */
export function packagesOf(sameError: SameError[]): string {
  const count = sameError.length;
  if (count === 1) return '1 other package';
  return `${count < SAME_ERROR_MAX ? '' : 'at least '}${count} other packages`;
}
