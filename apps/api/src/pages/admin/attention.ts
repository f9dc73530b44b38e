import type { DrainResource, PauseResource, WorkerList } from '@proctor/resources';
import type { ConfigurationStatus } from '@proctor/config';
import { timestamp } from '@proctor/contracts';
import type { MailTrouble, RestoreRecord } from '@proctor/database';
import { decidedBy, pauseSentence } from '../machines/decision-view';
import type { ServiceTrouble } from '../layout/troubles';

/** One thing that an administrator should look at. */
interface Attention {
  text: string;
  /** The page with details; null when there is none. */
  url: string | null;
  isUrgent: boolean;
}

/** Current problems, and old decisions that may have been forgotten; the most urgent first. */
export function attentionOf({
  configuration,
  troubles,
  workers: { workers, silent_architectures: silent },
  pauses,
  drains,
  restored,
  mail,
}: {
  configuration: ConfigurationStatus;
  troubles: ServiceTrouble[];
  workers: WorkerList;
  pauses: PauseResource[];
  drains: DrainResource[];
  /** The last restore of the database, if it is recent. */
  restored: RestoreRecord | null;
  /** Mails that could not be sent. */
  mail: MailTrouble | null;
}): Attention[] {
  const urgent = (text: string, url: string | null = null): Attention => ({ text, url, isUrgent: true });
  const decided = (text: string, url: string | null = null): Attention => ({ text, url, isUrgent: false });
  const unsound = workers.filter(({ standing }) => standing !== 'sound');
  const troubled = workers.filter(({ problem }) => problem !== null);
  return [
    ...configuration.problems.map((problem) =>
      urgent(`The configuration is not in use: ${problem}`, '/admin/configuration/'),
    ),
    ...troubles
      .filter(({ kind }) => kind === 'no worker')
      .map(({ what }) => urgent(`Runs wait on ${what}.`, '/status/queue/')),
    ...troubles
      .filter(({ kind }) => kind === 'stopped')
      .map(({ what }) => urgent(`No run starts on ${what}.`, '/status/queue/')),
    ...silent.map((arch) => urgent(`No scheduler answers for ${arch}, or not to the end.`)),
    ...unsound.map(({ name, arch, standing, reason }) =>
      urgent(
        `Worker ${name} is ${standing} on ${arch}${reason === null ? '.' : `: ${reason}`}`,
        workerUrl(name),
      ),
    ),
    ...troubled.map(({ name, arch, problem }) =>
      urgent(`Worker ${name} takes no work on ${arch}: ${problem}`, workerUrl(name)),
    ),
    ...(mail ? [urgent(mailSentence(mail))] : []),
    ...(restored ? [decided(restoreSentence(restored))] : []),
    ...configuration.needsRestart.map((value) =>
      decided(`A restart is needed: ${value}`, '/admin/configuration/'),
    ),
    ...pauses.map((pause) => decided(pauseSentence(pause), '/status/queue/')),
    ...drains.map((drain) =>
      decided(`Worker ${drain.worker} is drained by ${decidedBy(drain)}`, workerUrl(drain.worker)),
    ),
  ];
}

function restoreSentence({
  restoredAt,
  takenAt,
  firstLostRun,
  nextRun,
  filesMissing,
}: RestoreRecord): string {
  const files = filesMissing === 0 ? '' : ` The files of ${filesMissing} runs are missing.`;
  return (
    `The database was restored at ${timestamp(restoredAt)} to ${timestamp(takenAt)}: what was written after that is missing.` +
    ` Runs ${firstLostRun} to ${nextRun - 1} may have been requested since, and are unknown.${files}`
  );
}

function mailSentence({ waiting, since, error }: MailTrouble): string {
  const mails = waiting === 1 ? 'The mail to one user' : `Mails to ${waiting} users`;
  return `${mails} could not be sent since ${since === null ? 'a moment' : timestamp(since)}: ${error}`;
}

function workerUrl(name: string): string {
  return `/status/workers/${encodeURIComponent(name)}`;
}

export function attentionSentence(causes: Attention[]): string {
  const urgent = causes.filter(({ isUrgent }) => isUrgent).length;
  if (causes.length === 0) return 'Nothing needs attention.';
  const decisions = causes.length - urgent;
  const parts = [
    urgent > 0 && (urgent === 1 ? 'One thing is wrong' : `${urgent} things are wrong`),
    decisions > 0 && (decisions === 1 ? 'one decision holds' : `${decisions} decisions hold`),
  ];
  const text = parts.filter(Boolean).join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
