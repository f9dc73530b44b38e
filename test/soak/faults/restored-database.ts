import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { aWhile, type Fault, type FaultParts } from './fault';

/** Keeps owners and modes, unlike Node's own. */
const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to]);

/** A copy of the stopped database is brought back a while later, as an operator would from a backup. */
export function restoredDatabase(parts: FaultParts): Fault {
  const { deployment, submitter, follower } = parts;
  const { postgres, databaseFolder } = deployment;
  const backup = `${databaseFolder}-backup`;
  const happen = async () => {
    await postgres.stop();
    const backedUpAt = new Date();
    await copy(databaseFolder, backup);
    await postgres.start();
    await aWhile(parts, 5_000, 15_000);
    // The operator would have to inform clients that had an answer about what is gone: here they pause meanwhile.
    await Promise.all([submitter.turnstile.close(), follower.turnstile.close()]);
    await postgres.stop();
    await rm(databaseFolder, { recursive: true });
    await copy(backup, databaseFolder);
    await rm(backup, { recursive: true });
    await postgres.start();
    await recount(parts, backedUpAt);
    submitter.turnstile.open();
    follower.turnstile.open();
  };
  return { title: 'database restored to an earlier moment', of: 'postgres', happen };
}

/** Whatever was accepted after the copy is gone, and whatever had not finished by then is executed again. */
async function recount(
  { deployment, submitter, follower, undone }: FaultParts,
  backedUpAt: Date,
): Promise<void> {
  const client = new Client({ connectionString: deployment.postgres.url });
  await client.connect();
  try {
    const runs = await client.query<{ runId: number; isOver: boolean }>(
      `select run_id::integer as "runId", coalesce(finished_at <= $1, false) as "isOver" from runs`,
      [backedUpAt],
    );
    const over = new Map(runs.rows.map(({ runId, isOver }) => [runId, isOver]));
    for (const runId of submitter.accepted) if (!over.get(runId)) undone.add(runId);
    submitter.lost([...submitter.accepted].filter((runId) => !over.has(runId)));
    follower.askFromTheBeginning();
  } finally {
    await client.end();
  }
}
