import { graphileWorker } from './graphile-worker';
import { pgBoss } from './pg-boss';
import type { PeerPlan } from './plan';

const LIST_LENGTH = 5_000;

async function main(): Promise<void> {
  const { peer: name, databaseUrl, jobs } = JSON.parse(process.env['PROCTOR_BENCH_PEER'] ?? '') as PeerPlan;
  const peer = await (name === 'pg-boss' ? pgBoss(databaseUrl) : graphileWorker(databaseUrl));
  process.send?.({ ready: true });
  const startedAt = performance.now();
  const executed = peer.execute(jobs);
  for (let from = 0; from < jobs; from += LIST_LENGTH) await peer.add(Math.min(LIST_LENGTH, jobs - from));
  await executed;
  console.log(JSON.stringify({ ms: performance.now() - startedAt }));
  await peer.close();
  process.disconnect?.();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
