import type { PauseScope } from '@proctor/database';
import { checkTested } from '../configuration';
import { withDatabase } from '../home-database';
import { decide } from './decider';

interface Scope {
  suite?: string;
  arch?: string;
}

/** @throws UnknownUser; or when the user is no administrator, or the suite or architecture is not tested here */
export async function pause({ by, reason, ...scope }: Scope & { by: string; reason: string }): Promise<void> {
  await checkTested(scope);
  await decide(by, ({ decisions }, decider) => decisions.pause(scopeOf(scope), decider, reason));
  console.error(`${nameOf(scope)} is paused by ${by}: ${reason}`);
}

/** @throws UnknownUser; or when there is no such pause */
export async function resume({
  by,
  reason,
  ...scope
}: Scope & { by: string; reason?: string }): Promise<void> {
  const wasPaused = await decide(by, ({ decisions }, decider) =>
    decisions.resume(scopeOf(scope), decider, reason),
  );
  if (!wasPaused) throw new Error(`${nameOf(scope)} is not paused`);
  console.error(`${nameOf(scope)} goes on`);
}

/** @throws UnknownUser; or when the user is no administrator */
export async function drain(worker: string, { by, reason }: { by: string; reason: string }): Promise<void> {
  await decide(by, ({ decisions }, decider) => decisions.drain(worker, decider, reason));
  console.error(`worker ${worker} is drained by ${by}: ${reason}`);
}

/** @throws UnknownUser; or when the worker is not drained */
export async function undrain(
  worker: string,
  { by, reason }: { by: string; reason?: string },
): Promise<void> {
  const wasDrained = await decide(by, ({ decisions }, decider) => decisions.undrain(worker, decider, reason));
  if (!wasDrained) throw new Error(`worker ${worker} is not drained`);
  console.error(`worker ${worker} gets runs again`);
}

/** @throws UnknownUser; or when the user is no administrator, nobody knows the worker, or it is sound */
export async function trust(worker: string, { by, reason }: { by: string; reason?: string }): Promise<void> {
  const architectures = await decide(by, ({ decisions }, decider) =>
    decisions.trust(worker, decider, reason),
  );
  if (architectures === 'unknown') throw new Error(`no worker ${worker} is known`);
  if (architectures === 'sound') throw new Error(`worker ${worker} is sound already`);
  console.error(`worker ${worker} is taken for sound by ${by} (${architectures.join(', ')})`);
}

/** One line for each pause and drain: what, suite, architecture or worker, user, time, reason. */
export async function listDecisions(): Promise<void> {
  const [pauses, drains] = await withDatabase(({ decisions }) =>
    Promise.all([decisions.pauses(), decisions.drains()]),
  );
  for (const { suite, arch, by, since, reason } of pauses) {
    console.log(['pause', suite ?? '*', arch ?? '*', by, since, oneLine(reason)].join('\t'));
  }
  for (const { worker, by, since, reason } of drains) {
    console.log(['drain', worker, by, since, oneLine(reason)].join('\t'));
  }
  if (pauses.length + drains.length === 0) console.error('nothing is paused or drained');
}

function scopeOf({ suite, arch }: Scope): PauseScope {
  return { suite: suite ?? null, arch: arch ?? null };
}

function nameOf({ suite, arch }: Scope): string {
  if (suite === undefined) return arch === undefined ? 'everything' : `every suite on ${arch}`;
  return arch === undefined ? `${suite} on every architecture` : `${suite}/${arch}`;
}

/** A reason may have line ends and tabs; a line of the list may not. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
