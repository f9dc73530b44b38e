import type { NeutralStatus } from '@proctor/contracts';
import type { PackageStatus, QueueLength, StatusRecord } from '@proctor/database';
import { historyPath, packagePath, runPath } from '../../runs/page-paths';
import { statusOf } from '../../runs/result-object';
import { underWaySentence } from '../layout/sentence';
import { type Told, troubleSentence } from '../layout/troubles';
import { inBrief } from '../runs/run-view';

const TROUBLES_TOLD_MAX = 3;

/** What is wrong, and what the service does now. */
export function frontSentence(queues: QueueLength[], troubles: Told[], now: Date): string {
  const wrong = troubles.slice(0, TROUBLES_TOLD_MAX).map((trouble) => troubleSentence(trouble, now));
  return [...wrong, activitySentence(queues)].join(' ');
}

function activitySentence(queues: QueueLength[]): string {
  const sum = (count: (queue: QueueLength) => number): number =>
    queues.reduce((total, queue) => total + count(queue), 0);
  const [waiting, running] = [sum((queue) => queue.waiting), sum((queue) => queue.running)];
  if (waiting + running === 0) return 'No public run waits, and none is executed.';
  const architectures = new Set(queues.map(({ arch }) => arch));
  const on = architectures.size === 1 ? [...architectures][0]! : `${architectures.size} architectures`;
  return `On ${on}: ${underWaySentence({ waiting, running })}`;
}

/** A run that ended unlike the one before: a new failure, or its end. */
export function changeView(change: StatusRecord, kept: PackageStatus[], neutral: NeutralStatus) {
  const { package: name, suite, arch, version, trigger } = change;
  const url = historyPath(change);
  const now = kept.find((each) => each.package === name && each.suite === suite && each.arch === arch);
  return {
    package: name,
    packageUrl: packagePath(name),
    place: `${suite}/${arch}`,
    url,
    runUrl: runPath(change),
    /** Empty when it is the first run of its package there. */
    before: statusOf(change.previousStatus, neutral) ?? '',
    status: statusOf(change.verdict, neutral) ?? '',
    version: version ?? 'n/a',
    at: change.finishedAt,
    trigger: inBrief(trigger ?? ''),
    strip: now?.strip ?? [],
    since: now?.failingSince?.version ?? '',
  };
}
