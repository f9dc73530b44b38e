import {
  administration,
  type DecisionsAnswer,
  type DeciderOptions,
  type DrainAnswer,
  type PauseAnswer,
  type ScopeAnswer,
} from '../administration/administration';
import { type AskOptions, confirmOnTerminal } from '../output/ask';
import { type OutputOptions, printAnswer, printTable, say } from '../output/print';

interface Typed extends DeciderOptions {
  reason?: string;
}

interface TypedScope extends Typed {
  suite?: string;
  arch?: string;
}

/** @throws when the suite or architecture is not tested, or the decider may not */
export async function pause(options: TypedScope & AskOptions): Promise<object> {
  const to = await administration(options);
  if (options.suite === undefined && options.arch === undefined)
    await confirmOnTerminal('no run is started any more, of no suite and on no architecture', options);
  const paused = await to.pause(scopeIn(options));
  say(`${nameOf(paused)} is paused by ${paused.by}: ${paused.reason}`);
  return paused;
}

/** @throws also when there is no such pause */
export async function resume(options: TypedScope): Promise<object> {
  const scope = await (await administration(options)).resume(scopeIn(options));
  say(`${nameOf(scope)} goes on`);
  return scope;
}

/** @throws also when the worker is not drained */
export async function undrain(worker: string, options: Typed): Promise<object> {
  const undrained = await (await administration(options)).undrain({ worker, ...reasonIn(options) });
  say(`worker ${worker} gets runs again`);
  return undrained;
}

/** @throws also when no such worker is registered */
export async function quarantine(worker: string, options: Typed): Promise<object> {
  const to = await administration(options);
  const quarantined = await to.quarantine({ worker, ...reasonIn(options) });
  const { by, architectures } = quarantined;
  say(`worker ${worker} is quarantined by ${by} (${architectures.join(', ')})`);
  say(`it is back after a canary test has passed there, or with: proctor worker trust ${worker}`);
  return quarantined;
}

/** @throws also when no such worker is known, or it is sound */
export async function trust(worker: string, options: Typed): Promise<object> {
  const to = await administration(options);
  const trusted = await to.trust({ worker, ...reasonIn(options) });
  say(`worker ${worker} is taken for sound by ${trusted.by} (${trusted.architectures.join(', ')})`);
  return trusted;
}

/** What is paused and drained. */
export async function listDecisions(options: DeciderOptions & OutputOptions): Promise<void> {
  const decisions = await (await administration(options)).decisions();
  printAnswer(decisions, options, tellDecisions);
}

function tellDecisions({ pauses, drains }: DecisionsAnswer): void {
  const rows: (PauseAnswer | DrainAnswer)[] = [...pauses, ...drains];
  printTable(
    rows,
    [
      { head: 'WHAT', of: (row) => ('worker' in row ? 'drain' : 'pause') },
      { head: 'OF', of: (row) => ('worker' in row ? `worker ${row.worker}` : nameOf(row)) },
      { head: 'BY', of: ({ by }) => by },
      { head: 'SINCE', of: ({ since }) => new Date(since) },
      { head: 'DEADLINE', of: deadlineOf },
      { head: 'WHY', of: ({ reason }) => reason, isCut: true },
    ],
    'nothing is paused or drained',
  );
}

function deadlineOf(row: PauseAnswer | DrainAnswer): Date | null {
  return 'deadline' in row && row.deadline !== null ? new Date(row.deadline) : null;
}

function scopeIn({ suite, arch, ...options }: TypedScope): {
  suite?: string;
  arch?: string;
  reason?: string;
} {
  return {
    ...(suite !== undefined && { suite }),
    ...(arch !== undefined && { arch }),
    ...reasonIn(options),
  };
}

function reasonIn({ reason }: Typed): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

function nameOf({ suite, arch }: ScopeAnswer): string {
  if (suite === null) return arch === null ? 'everything' : `every suite on ${arch}`;
  return arch === null ? `suite ${suite} on every architecture` : `queue ${suite}/${arch}`;
}
