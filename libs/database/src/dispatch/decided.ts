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

/** With the name of the user who has decided. */
const ACTOR = { relations: { actor: true }, select: { actor: { userId: true, name: true } } } as const;

const SCOPE = Object.fromEntries(SCOPE_FIELDS.map((field) => [field, true])) as Record<ScopeField, true>;

/** All of them, the oldest first. */
export function allPauses(manager: EntityManager): Promise<DecidedPause[]> {
  return pauses(manager, {});
}

/** Those that concern an architecture, the oldest first. */
export async function pausesOf(manager: EntityManager, arch: string): Promise<Pause[]> {
  const found = await pauses(manager, [{ arch }, { arch: IsNull() }]);
  return found.map(({ arch: _, ...pause }) => pause);
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

/** A drain as people read it. */
export interface DrainedWorker extends Decision {
  worker: string;
  /** When it hands back what it still executes; null: it may finish all of it. */
  deadline: Date | null;
}

/** All of them, the oldest first. */
export async function allDrains(manager: EntityManager): Promise<DrainedWorker[]> {
  const rows = await manager.find(DrainRow, {
    relations: ACTOR.relations,
    select: { worker: true, reason: true, since: true, deadline: true, ...ACTOR.select },
    order: { since: 'asc', worker: 'asc' },
  });
  return rows.map((row) => ({ worker: row.worker, ...decision(row), deadline: row.deadline }));
}

/** The same in the form that dispatchers use: with what is left of a deadline, by the clock that set it. */
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

/** Its time as the wire has it. */
function decision({ actor, reason, since }: PauseRow | DrainRow): Decision {
  return { by: actor!.name, reason, since: timestamp(since) };
}
