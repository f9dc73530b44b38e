import { isUntested, lacksInit } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import type { TriageKind } from '@proctor/resources';
import { type TriageEvidence, evidenceOf, isKnown, packagesOf, type TriageFacts } from './triage-evidence';
import { isFresh, REFERENCE_DAYS_MAX } from './trigger-groups';
import { wantedVersions } from './wanted-versions';

/** The next step for people. */
type TriageStep =
  | { kind: 'retry' }
  | { kind: 'refresh' }
  | {
      kind: 'report';
      /** A source package, or a binary one where that is all that is known. */ package: string;
    }
  | { kind: 'nothing' };

export interface Triage {
  kind: TriageKind;
  /** One sentence. */
  conclusion: string;
  step: TriageStep;
  evidence: TriageEvidence[];
}

/** From this number of other packages on, an error does not belong to one package. */
const SHARED_FROM = 2;

/** The decision tree of Debian's release team for failed tests, answered from data. */
export function triage(facts: TriageFacts): Triage {
  return { ...(concludeWithoutPackage(facts) ?? conclude(facts)), evidence: evidenceOf(facts) };
}

type Conclusion = Omit<Triage, 'evidence'>;

const NOTHING: TriageStep = { kind: 'nothing' };
const RETRY: TriageStep = { kind: 'retry' };

/** Null if the run says something about packages. */
function concludeWithoutPackage({ run, later }: TriageFacts): Conclusion | null {
  if (later && isPass(later))
    return { kind: 'passes-since', step: NOTHING, conclusion: 'The same test has passed since.' };
  if (later && later.state !== 'finished')
    return { kind: 'under-way', step: NOTHING, conclusion: 'The same test is waiting or running again.' };
  if (isUntested(run.verdict)) {
    const conclusion = `Nothing was tested, so no package is at fault: ${run.message ?? 'there is no such source package'}.`;
    return { kind: run.verdict, step: NOTHING, conclusion };
  }
  if (run.trouble === 'request') {
    const conclusion = 'The request cannot run as it is; this says nothing about the package.';
    return { kind: 'request', step: NOTHING, conclusion };
  }
  if (run.verdict === 'tmpfail') {
    const conclusion = 'The test could not run; this says nothing about the package.';
    return { kind: 'infrastructure', step: RETRY, conclusion };
  }
  const namedVersions = wantedVersions(run);
  return namedVersions && { kind: 'unclear', step: RETRY, conclusion: ofOtherVersion(run, namedVersions) };
}

function conclude(facts: TriageFacts): Conclusion {
  const { run, here, reference, passOfVersion, lastPass, changes, sameError } = facts;
  const report = (name: string): TriageStep => ({ kind: 'report', package: name });
  const trigger = foreignTrigger(run);
  const fresh = reference && isFresh(reference, run.finishedAt!) ? reference : null;
  if (trigger && fresh?.verdict === 'fail') {
    const conclusion = `It fails without ${trigger.word} too, so ${trigger.package} is not the cause.`;
    return { kind: 'fails-in-reference', step: NOTHING, conclusion };
  }
  if (passOfVersion && passOfVersion.backend !== run.backend && !fresh) {
    const conclusion = `Version ${run.version} passed on ${passOfVersion.backend} and fails on ${run.backend}, so the testbed may be the cause.`;
    return { kind: 'other-testbed', step: NOTHING, conclusion };
  }
  const hasPassedHere = [passOfVersion, lastPass].some((pass) => pass?.backend === run.backend);
  if (facts.withoutInitLine !== null && lacksInit(run.backend) && !hasPassedHere && !fresh) {
    const conclusion = `A service was not started, since ${run.backend} has no init, so the testbed may be the cause.`;
    return { kind: 'other-testbed', step: NOTHING, conclusion };
  }
  const isUnchanged = changes !== null && changes.changed.length === 0;
  if (here?.isFlaky || (passOfVersion && isUnchanged)) {
    const conclusion = here?.isFlaky
      ? 'The same version sometimes passes and sometimes fails, so a retry is likely to pass.'
      : 'It has passed with the same version and the same packages, so the cause is somewhere else.';
    return { kind: 'flaky', step: RETRY, conclusion };
  }
  if (trigger && !fresh) {
    const conclusion = `It may fail without ${trigger.word} too: there is no reference from the ${REFERENCE_DAYS_MAX} days before.`;
    return { kind: 'no-fresh-reference', step: { kind: 'refresh' }, conclusion };
  }
  const suspect = suspectOf(facts);
  if (sameError.length >= SHARED_FROM) {
    const conclusion = `The same error appears in ${packagesOf(sameError)}, so this package is not the cause.`;
    return { kind: 'shared-error', step: suspect === null ? NOTHING : report(suspect), conclusion };
  }
  if (trigger) {
    const conclusion = `It passes without ${trigger.word}, and fails with it.`;
    return { kind: 'trigger', step: report(trigger.package), conclusion };
  }
  if (failsHereAlone(facts)) {
    const conclusion = `On ${run.suite} it fails only on ${run.arch}.`;
    return { kind: 'one-architecture', step: report(run.package), conclusion };
  }
  if (lastPass && isKnown(lastPass) && isKnown(run) && lastPass.version !== run.version) {
    const conclusion = `Version ${lastPass.version} passed, ${run.version} fails.`;
    return { kind: 'own-version', step: report(run.package), conclusion };
  }
  if (suspect !== null) {
    const conclusion = `Since it last passed with this version, ${suspect} has changed.`;
    return { kind: 'dependency', step: report(suspect), conclusion };
  }
  if (!lastPass) {
    const conclusion = 'It has never passed here, so this is not a regression.';
    return { kind: 'never-passed', step: report(run.package), conclusion };
  }
  const conclusion = 'Nothing in the data explains the failure, so a retry is the next step.';
  return { kind: 'unclear', step: RETRY, conclusion };
}

function ofOtherVersion({ version }: RunRecord, namedVersions: string[]): string {
  return `Version ${version} was tested instead of ${namedVersions.join(', ')}, so this says nothing about the requested version.`;
}

/** The first package of the trigger other than the tested one; null for references, too. */
function foreignTrigger({ trigger, package: name }: RunRecord): { word: string; package: string } | null {
  const words = (trigger ?? '').split(' ').filter((word) => /^[^/]+\/[^/]+$/.test(word));
  const places = words.map((word) => ({ word, package: word.split('/')[0]! }));
  return places.find((each) => each.package !== name && each.package !== 'migration-reference') ?? null;
}

/** The package whose change has most likely caused the failure; null if there is none, or several. */
function suspectOf({ run, changes }: TriageFacts): string | null {
  const trigger = foreignTrigger(run);
  if (trigger) return trigger.package;
  const differences = changes?.changed ?? [];
  const suspects = differences.filter(({ nearness }) => nearness === 'named');
  if (suspects.length > 0) return suspects[0]!.names[0]!;
  return differences.length === 1 ? differences[0]!.names[0]! : null;
}

/** Whether the package passes on all other architectures of the suite, and there are such. */
function failsHereAlone({ run, elsewhere }: TriageFacts): boolean {
  const others = elsewhere.filter(({ suite, latest }) => suite === run.suite && latest.verdict !== 'tmpfail');
  return others.length > 0 && others.every(({ latest }) => latest.verdict !== 'fail');
}

function isPass({ verdict }: { verdict: string | null }): boolean {
  return verdict === 'pass' || verdict === 'neutral';
}
