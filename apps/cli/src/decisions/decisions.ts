import { SCOPE_FIELDS, type ScopeField, scopeName } from '@proctor/contracts';
import type {
  DecisionList,
  DrainResource,
  PauseResource,
  PauseScopeResource,
  TrustResource,
} from '@proctor/resources';
import { type AskOptions, confirmOnTerminal } from '../output/ask';
import { type OutputOptions, printAnswer, printTable, printNotice } from '../output/print';
import type { ServiceOptions } from '../service/address';
import { Service } from '../service/service';

interface WorkerOptions extends ServiceOptions {
  reason?: string;
}

type ScopeOptions = WorkerOptions & { [Field in ScopeField]?: string };

/** @throws Failure if the suite or architecture is not tested, or the key may not do this */
export async function pause(options: ScopeOptions & AskOptions): Promise<object> {
  const service = await Service.find(options);
  if (SCOPE_FIELDS.every((field) => options[field] === undefined))
    await confirmOnTerminal('no run is started, of no suite and on no architecture', options);
  const paused = await service.post<PauseResource>('/admin/pause', scopeAndReason(options));
  printNotice(`${scopeName(paused)} is paused by ${paused.by}: ${paused.reason}`);
  return paused;
}

/** @throws Failure if there is no such pause, or the key may not do this */
export async function resume(options: ScopeOptions): Promise<object> {
  const service = await Service.find(options);
  const scope = await service.post<PauseScopeResource>('/admin/resume', scopeAndReason(options));
  printNotice(`${scopeName(scope)} goes on`);
  return scope;
}

/** @throws Failure if the worker is not drained, or the key may not do this */
export async function undrain(worker: string, { reason, ...options }: WorkerOptions): Promise<object> {
  const undrained = await (await Service.find(options)).post<object>('/admin/undrain', { worker, reason });
  printNotice(`worker ${worker} gets runs again`);
  return undrained;
}

/** @throws Failure if no such worker is registered, or the key may not do this */
export async function quarantine(worker: string, { reason, ...options }: WorkerOptions): Promise<object> {
  const service = await Service.find(options);
  const quarantined = await service.post<TrustResource>('/admin/quarantine', { worker, reason });
  const { by, architectures } = quarantined;
  printNotice(`worker ${worker} is quarantined by ${by} (${architectures.join(', ')})`);
  printNotice(
    `it gets runs again after a canary test has passed on it, or with: proctor worker trust ${worker}`,
  );
  return quarantined;
}

/** @throws Failure if the worker is unknown or already trusted, or the key may not do this */
export async function trust(worker: string, { reason, ...options }: WorkerOptions): Promise<object> {
  const service = await Service.find(options);
  const trusted = await service.post<TrustResource>('/admin/trust', { worker, reason });
  printNotice(`worker ${worker} is trusted by ${trusted.by} (${trusted.architectures.join(', ')})`);
  return trusted;
}

/** Prints the pauses and drains in force. */
export async function listDecisions(options: ServiceOptions & OutputOptions): Promise<void> {
  const decisions = await (await Service.find(options)).request<DecisionList>('/admin/decisions');
  printAnswer(decisions, options, printDecisions);
}

function printDecisions({ pauses, drains }: DecisionList): void {
  const rows: (PauseResource | DrainResource)[] = [...pauses, ...drains];
  printTable(
    rows,
    [
      { head: 'WHAT', of: (row) => ('worker' in row ? 'drain' : 'pause') },
      { head: 'OF', of: (row) => ('worker' in row ? `worker ${row.worker}` : scopeName(row)) },
      { head: 'BY', of: ({ by }) => by },
      { head: 'SINCE', of: ({ since }) => new Date(since) },
      { head: 'DEADLINE', of: deadlineOf },
      { head: 'WHY', of: ({ reason }) => reason, isCut: true },
    ],
    'nothing is paused or drained',
  );
}

function deadlineOf(row: PauseResource | DrainResource): Date | null {
  return 'deadline' in row && row.deadline !== null ? new Date(row.deadline) : null;
}

function scopeAndReason({ reason, ...options }: ScopeOptions): Record<string, string | undefined> {
  return { ...Object.fromEntries(SCOPE_FIELDS.map((field) => [field, options[field]])), reason };
}
