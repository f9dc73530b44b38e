import 'reflect-metadata';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@proctor/database';
import { EmbeddedPostgres } from '@proctor/embedded';
import { Client } from 'pg';
import { importDebci } from '@apps/cli/src/import/debci';
import { generateDebci } from '../generator/debci';
import { keepStatuses } from '../generator/finished-runs';

const JOBS = 1_000_000;
/** How many of the jobs have not finished; they are left to debci. */
const PENDING = 1_000;
const OPTIONS = { pending: 'leave', files: 'none', backend: 'lxc' } as const;
const ARCHITECTURES = ['amd64', 'arm64', 'riscv64'];

/** The process that imports says at its end how much memory it had at most. */
interface Import {
  process: ChildProcess;
  peakMiB: Promise<number | null>;
}

function startImport(exported: string): Import {
  const child = fork(__filename, ['import', exported]);
  const peakMiB = new Promise<number | null>((resolve) => {
    let bytes: number | null = null;
    child.on('message', (memory) => (bytes = Number(memory)));
    child.on('exit', () => resolve(bytes));
  });
  return { process: child, peakMiB };
}

/** Kills an import when it has written a third of the jobs. @returns how many runs were there then */
async function killedImport(exported: string, client: Client, jobs: number): Promise<number> {
  const runs = async (): Promise<number> => {
    const { rows } = await client.query<{ n: string }>('select count(*) as n from runs');
    return Number(rows[0]!.n);
  };
  const { process: child, peakMiB } = startImport(exported);
  while ((await runs()) < jobs / 3)
    if (child.exitCode !== null) throw new Error('the import ended before it was killed');
  child.kill('SIGKILL');
  await peakMiB;
  return runs();
}

/** @returns MiB of memory at most */
async function wholeImport(exported: string): Promise<number> {
  const { process: child, peakMiB } = startImport(exported);
  const [code] = child.exitCode === null ? ((await once(child, 'exit')) as [number]) : [child.exitCode];
  if (code !== 0) throw new Error(`the import ended with ${code}: there and here are not the same`);
  return (await peakMiB)!;
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const since = performance.now();
  await work();
  console.log(`${what}: ${((performance.now() - since) / 1_000).toFixed(1)} s`);
}

async function main(jobs: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'proctor-rehearsal-'));
  // The server runs as another user when this runs as root.
  await chmod(folder, 0o711);
  const postgres = new EmbeddedPostgres({
    folder: join(folder, 'postgresql'),
    passwordFile: join(folder, 'postgres.password'),
  });
  try {
    await postgres.start();
    const { url } = postgres;
    process.env['PROCTOR_DATABASE_URL'] = url;
    await migrate(url);
    const exported = join(folder, 'debci');
    await timed(`export of ${jobs} jobs generated`, () =>
      generateDebci(exported, { jobs, pending: PENDING }),
    );
    const client = new Client({ connectionString: url });
    await client.connect();
    let [there, peakMiB] = [0, 0];
    await timed('imported until a third was there, and killed', async () => {
      there = await killedImport(exported, client, jobs);
    });
    await timed(`resumed after ${there} runs, and compared`, async () => {
      peakMiB = await wholeImport(exported);
    });
    await timed('imported again, nothing new, and compared', () => wholeImport(exported));
    await timed('statuses of all packages made', () => keepStatuses(url, ARCHITECTURES));
    const { rows } = await client.query<{ size: string; runs: string }>(
      'select pg_size_pretty(pg_database_size(current_database())) as size, (select count(*) from runs) as runs',
    );
    await client.end();
    const { size, runs } = rows[0]!;
    console.log(`runs: ${runs}; database: ${size}; memory at most: ${peakMiB} MiB`);
    if (Number(runs) !== jobs - PENDING) throw new Error(`${jobs - PENDING} runs were expected`);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function importAlone(exported: string): Promise<void> {
  await importDebci(exported, OPTIONS);
  process.send!(Math.round(process.resourceUsage().maxRSS / 1024));
  process.disconnect();
}

const [first, exportedFolder] = process.argv.slice(2);
const work = first === 'import' ? importAlone(exportedFolder!) : main(Number(first ?? JOBS));
void work.catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
  if (process.connected) process.disconnect();
});
