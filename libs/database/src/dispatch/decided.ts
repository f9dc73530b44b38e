import {
  type DecidedPause,
  type Decision,
  SCOPE_FIELDS,
  type ScopeField,
  scopeOf,
  timestamp,
} from '@proctor/contracts';
import type { Drain, Pause } from '@proctor/dispatch';
import { type EntityManager, type FindOptionsWhere, IsNull } from 'typeorm';
import { DrainRow, PauseRow } from '../rows';

/** The relation that adds the name of the user who decided. */
const ACTOR = { relations: { actor: true }, select: { actor: { userId: true, name: true } } } as const;

const SCOPE = Object.fromEntries(SCOPE_FIELDS.map((field) => [field, true])) as Record<ScopeField, true>;

/** All pauses, the oldest first. */
export function allPauses(manager: EntityManager): Promise<DecidedPause[]> {
  return pauses(manager, {});
}

/** The pauses that concern an architecture, the oldest first. */
export async function pausesOf(manager: EntityManager, arch: string): Promise<Pause[]> {
  const rows = await pauses(manager, [{ arch }, { arch: IsNull() }]);
  return rows.map(({ arch: _, ...pause }) => pause);
}

async function pauses(
  manager: EntityManager,
  where: FindOptionsWhere<PauseRow> | FindOptionsWhere<PauseRow>[],
): Promise<DecidedPause[]> {
  const rows = await manager.find(PauseRow, {
    where,
    relations: ACTOR.relations,
    select: { pauseId: true, ...SCOPE, reason: true, since: true, ...ACTOR.select },
    order: { since: 'asc', pauseId: 'asc' },
  });
  return rows.map((row) => ({ ...scopeOf(row), ...decision(row) }));
}

/** A drain with its decision, for people. */
export interface DrainedWorker extends Decision {
  worker: string;
  /** When the worker hands back its running tests; null: it may finish all of them. */
  deadline: Date | null;
}

/** All drains, the oldest first. */
export async function allDrains(manager: EntityManager): Promise<DrainedWorker[]> {
  const rows = await manager.find(DrainRow, {
    relations: ACTOR.relations,
    select: { worker: true, reason: true, since: true, deadline: true, ...ACTOR.select },
    order: { since: 'asc', worker: 'asc' },
  });
  return rows.map((row) => ({ worker: row.worker, ...decision(row), deadline: row.deadline }));
}

/** The drains in the form for dispatchers: the deadline as the remaining time, by the clock that set it. */
export async function drainsToKeep(manager: EntityManager): Promise<Drain[]> {
  const drains = await allDrains(manager);
  const isTimed = drains.some(({ deadline }) => deadline !== null);
  const nowMs = isTimed ? await databaseTimeMs(manager) : 0;
  return drains.map(({ deadline, ...drain }) =>
    deadline === null ? drain : { ...drain, leftMs: deadline.getTime() - nowMs },
  );
}

async function databaseTimeMs(manager: EntityManager): Promise<number> {
  const [row] = await manager.query<{ now: Date }[]>('select clock_timestamp() as now');
  return row!.now.getTime();
}

/** The decision with its time in the format of the wire. */
function decision({ actor, reason, since }: PauseRow | DrainRow): Decision {
  return { by: actor!.name, reason, since: timestamp(since) };
}
