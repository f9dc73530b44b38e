import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connectTo } from '../support/database';
import { until } from '../support/until';
import { SUITE } from './configuration';
import type { Deployment } from './deployment';
import { Load, outcomeOf } from './load';
import type { Release } from './release';
import type { Finding } from './report';

const RATE = 2;
const RUNS_BEFORE = 10;
const RUNS_AFTER = 5;
const FINISH_MS = 180_000;
/** A restore leaves so many ids of runs out, at least. */
const IDS_LEFT_OUT = 90_000;

const ACCEPT_MS = 60_000;

interface Health {
  restored?: { nextRun: number };
}

/**
 * A backup is made while runs are asked for; more are accepted; then databases and store are gone, and the backup is restored in
 * other places.
 */
export async function loseEverything(deployment: Deployment, here: Release): Promise<Omit<Finding, 'what'>> {
  const { proxy, keys, arch, databases, folder } = deployment;
  const load = new Load(proxy.url, keys.alice, arch);
  load.start(RATE);
  let runIds: Set<number>;
  let path: string;
  let backupMs: number;
  try {
    await isAccepted(load, RUNS_BEFORE);
    runIds = new Set(load.accepted);
    await outcomeOf(databases.now, runIds, FINISH_MS);
    const backupBegin = performance.now();
    path = (await deployment.command(here, 'backup', join(folder, 'backups'))).trim();
    backupMs = performance.now() - backupBegin;
    const later = load.accepted.size;
    await isAccepted(load, later + RUNS_AFTER);
  } finally {
    await load.stop();
  }
  const last = Math.max(...load.accepted);

  const startMs = performance.now();
  await Promise.all([...deployment.schedulers, ...deployment.apis].map((app) => app.stop('SIGKILL')));
  await databases.lose();
  await rm(deployment.home, { recursive: true });
  deployment.home = join(folder, 'restored');
  await mkdir(deployment.home);
  await deployment.command(here, 'restore', path);
  await deployment.startServer({ apis: here, schedulers: here });
  const awayMs = performance.now() - startMs;

  const outcome = await outcomeOf(databases.now, runIds, FINISH_MS);
  const logs = await Promise.all([...runIds].map((runId) => ask(deployment, `/api/v1/runs/${runId}/log`)));
  const unread = logs.filter(({ status }) => status !== 200).length;
  const tests = JSON.stringify([{ package: 'after-the-restore' }]);
  const answer = await ask(deployment, `/api/v1/test/${SUITE}/${arch}`, {
    method: 'POST',
    body: new URLSearchParams({ tests }),
  });
  const next = ((await answer.json()) as { runs: { run_id: number }[] }).runs[0]!.run_id;
  const after = await outcomeOf(databases.now, new Set([next]), FINISH_MS);
  const headers = { 'Auth-Key': keys.admin };
  const { restored } = (await (await fetch(`${proxy.url}/health`, { headers })).json()) as Health;
  const unfinished = await unfinishedOf(databases.now);
  const holds =
    outcome.lost + outcome.unfinished + unread + after.unfinished + unfinished === 0 &&
    next > last + IDS_LEFT_OUT &&
    restored?.nextRun === next;
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return {
    holds,
    detail: [
      `backup in ${seconds(backupMs)}, under load`,
      `everything back ${seconds(awayMs)} after it was lost`,
      `${runIds.size} runs of before the backup, ${outcome.lost} lost, ${unread} logs unread`,
      `${load.accepted.size - runIds.size} accepted later`,
      `${unfinished} runs unfinished`,
      `ids go on at ${next} after ${last}`,
      restored ? `health shows it` : 'health does not show it',
    ].join('; '),
  };
}

async function isAccepted(load: Load, runs: number): Promise<void> {
  if (await until(() => Promise.resolve(load.accepted.size >= runs), ACCEPT_MS)) return;
  throw new Error(`of ${runs} runs ${load.accepted.size} were accepted: ${load.refused[0]}`);
}

function ask({ proxy, keys }: Deployment, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(proxy.url + path, { ...init, headers: { 'Auth-Key': keys.alice } });
}

/** Waits until all runs of loads that are in the database have finished. @returns the number of those that have not */
async function unfinishedOf(databaseUrl: string): Promise<number> {
  const database = await connectTo(databaseUrl);
  try {
    let count = -1;
    await until(async () => {
      const { rows } = await database.query<{ count: number }>(UNFINISHED);
      count = rows[0]!.count;
      return count === 0;
    }, FINISH_MS);
    return count;
  } finally {
    await database.end();
  }
}

const UNFINISHED = `select count(*)::int as count from runs where package like 'load-%' and state <> 'finished'`;
