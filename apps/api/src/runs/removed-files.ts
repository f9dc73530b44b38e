import { type ResultContentName, ruleSentence } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import { Problem } from '../http/problem';

const WHAT: Record<ResultContentName, string> = {
  'log.gz': 'The log of run {run} was',
  'artifacts.tar.gz': 'The artifacts of run {run} were',
};

/**
 * A run loses the logs of all its attempts at the same time, and also the artifacts.
 * @returns the rule that removed them; null if they exist, or never did
 */
function removalRule(run: RunRecord, name: ResultContentName): string | null {
  const [size, rule] =
    name === 'log.gz' ? [run.logSize, run.logRemovedBy] : [run.artifactsSize, run.artifactsRemovedBy];
  const text = size === null ? (rule ?? run.storyRemovedBy) : null;
  return text === null ? null : ruleSentence(text);
}

/** @throws Problem 410 if a rule has removed them */
export function requireKept(run: RunRecord, name: ResultContentName): void {
  const rule = removalRule(run, name);
  if (rule !== null)
    throw new Problem(410, `${WHAT[name].replace('{run}', String(run.runId))} removed: ${rule}.`);
}

/** The sentences on the page of a run about removed files. */
export function removalSentences(run: RunRecord): string[] {
  const rules: [string, string | null][] = [
    ['The log was removed', run.logSize === null ? run.logRemovedBy : null],
    ['The artifacts were removed', run.artifactsSize === null ? run.artifactsRemovedBy : null],
    ['What is known of its attempts was removed', run.storyRemovedBy],
  ];
  return rules.flatMap(([what, rule]) => (rule === null ? [] : [`${what}: ${ruleSentence(rule)}.`]));
}
