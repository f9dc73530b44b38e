import 'reflect-metadata';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@proctor/database';
import { EmbeddedPostgres } from '@proctor/embedded';
import { ARCHITECTURES, cancelling, SCHEDULERS } from './cancelling';
import { choosing, explaining, memoryPerRun } from './choosing';
import { core } from './core';
import { loading } from './loading';
import { migrating } from './migrating';
import { measure, type Pair, type PairResult } from './pairs';
import { type Deployment, ServedApi } from './served-api';
import { serving } from './serving';
import { amongStrangers } from './strangers';
import { someRequestor, submitting } from './submitting';
import { executing } from './worker';

/**
 * Runs every pair, then the api, and prints tables in Markdown. `--api`: the api alone. `--worker`: real packages on this
 * machine, alone. `--migrate [RUNS]`: how long others wait while so many runs are migrated, alone. `--cancel [RUNS]`: the same
 * while so many waiting runs are cancelled by one request, alone. `--core [RUNS]`: the control plane, alone. `--strangers`: submissions beside readers without a key,
 * alone.
 */
async function main(): Promise<void> {
  console.log(
    `Node ${process.version}, ${availableParallelism()} processors, ${new Date().toISOString().slice(0, 10)}\n`,
  );
  if (process.argv.includes('--worker')) return workerPairs();
  const migrated = countOf('--migrate');
  if (migrated !== null) return migration(migrated);
  const cancelled = countOf('--cancel');
  if (cancelled !== null)
    return onApi((api) => cancelling(api, cancelled), {
      architectures: ARCHITECTURES,
      schedulers: SCHEDULERS,
    });
  const executed = countOf('--core');
  if (executed !== null) return controlPlane(executed);
  if (process.argv.includes('--strangers')) return onApi(amongStrangers);
  if (!process.argv.includes('--api')) await pairs();
  console.log('');
  await onApi(serving);
}

/** The number behind an option, 100,000 when there is none; null without the option. */
function countOf(option: string): number | null {
  const place = process.argv.indexOf(option);
  return place < 0 ? null : Number(process.argv[place + 1] ?? 100_000);
}

async function onApi(
  measure: (api: ServedApi) => AsyncGenerator<string>,
  deployment?: Deployment,
): Promise<void> {
  await onDatabase(async (url, folder) => {
    const api = await ServedApi.start(folder, url, deployment);
    try {
      for await (const line of measure(api)) console.log(line);
    } finally {
      await api.stop();
    }
  });
}

const HEAD = '| what | measured ms | baseline ms | ratio (min, max) |\n| --- | --- | --- | --- |';

async function workerPairs(): Promise<void> {
  console.log(HEAD);
  for await (const pair of executing()) await report(pair);
}

async function controlPlane(runs: number): Promise<void> {
  const nodeOptions = process.env['PROCTOR_BENCH_NODE_OPTIONS'];
  const settings = { shared_preload_libraries: 'pg_stat_statements', max_connections: '100' };
  await onDatabase(async (url, folder, pid) => {
    const shape = { workers: 8, slots: 16, rounds: 3, runs, nodeOptions };
    for await (const line of core(folder, url, pid, shape)) console.log(line);
  }, settings);
}

async function migration(runs: number): Promise<void> {
  console.log('| what | of | measured |\n| --- | --- | --- |');
  await onDatabase(async (url) => {
    for await (const line of migrating(url, runs)) console.log(line);
  });
}

/** Ratios are what counts: milliseconds belong to the machine. */
async function pairs(): Promise<void> {
  console.log(HEAD);
  await report(choosing(1_000, 100_000));
  await report(choosing(1_000, 1_000_000));
  await report(explaining(1_000, 100_000));
  await report(explaining(1_000, 1_000_000));
  await onDatabase(async (url) => {
    const { database, submitter } = await someRequestor(url);
    try {
      await report(submitting(database, submitter, 1_000));
      await report(await loading(database, submitter, 12_000, 120_000));
    } finally {
      await database.close();
    }
  });
  const { whole, ours } = memoryPerRun(1_000_000);
  console.log(
    `\n1000000 waiting: ${whole.toFixed(0)} bytes a run, ${ours.toFixed(0)} of them beside the run as it was read`,
  );
}

async function report(pair: Pair): Promise<void> {
  console.log(row(await measure(pair)));
}

function row({ name, measuredMs, baselineMs, ratio }: PairResult): string {
  const spread = `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}, ${ratio.max.toFixed(2)})`;
  return `| ${name} | ${measuredMs.toFixed(1)} | ${baselineMs.toFixed(1)} | ${spread} |`;
}

async function onDatabase(
  work: (url: string, folder: string, pid: number) => Promise<void>,
  settings: Record<string, string> = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'proctor-bench-'));
  // The server runs as another user when the bench runs as root.
  await chmod(folder, 0o711);
  const postgres = new EmbeddedPostgres({
    folder: join(folder, 'postgresql'),
    passwordFile: join(folder, 'password'),
    settings,
  });
  try {
    await postgres.start();
    await migrate(postgres.url);
    await work(postgres.url, folder, postgres.pid!);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
