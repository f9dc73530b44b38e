import type { Affected, AffectedByAsked, ChangedPackage } from '../../runs/affected-by';
import { comparisonPath, packagePath } from '../../runs/page-paths';

/** The form alone, before a package is named. */
export function affectedByForm(asked: AffectedByAsked) {
  const sentence = 'Which tests began to fail when a package had changed?';
  return { asked, sentence, isCut: false, runs: [] };
}

/** The tests that began to fail when a package had changed. */
export function affectedByView(asked: ChangedPackage, { runs, isCut }: Affected) {
  const packages = new Set(runs.map((run) => run.package)).size;
  return {
    asked,
    sentence: sentenceOf(asked, packages),
    isCut,
    isUnindexed: true,
    runs: runs.map((run) => ({
      ...run,
      packageUrl: packagePath(run.package),
      compareUrl: comparisonPath(run.passedRunId, run.runId),
      from: run.from || 'not installed',
      to: run.to || 'not installed',
    })),
  };
}

function sentenceOf({ package: name, from, to }: ChangedPackage, packages: number): string {
  const change = `${name} had changed${from ? ` from ${from}` : ''}${to ? ` to ${to}` : ''}`;
  const who = packages === 0 ? 'No package' : packages === 1 ? '1 package' : `${packages} packages`;
  return `${who} began to fail in a run in which ${change}.`;
}
