import { join } from 'node:path';
import { AppProcess } from '@proctor/embedded';
import type { PeerName, PeerPlan } from './plan';

/** @returns no-op jobs a second, from the first one added until the last one completed, in a process of its own */
export async function peerRate(
  peer: PeerName,
  databaseUrl: string,
  jobs: number,
  folder: string,
): Promise<number> {
  const plan: PeerPlan = { peer, databaseUrl, jobs };
  const lines: string[] = [];
  const app = new AppProcess({
    name: peer,
    main: join(__dirname, 'main.js'),
    env: { ...process.env, PROCTOR_BENCH_PEER: JSON.stringify(plan) },
    identityFile: join(folder, `${peer}.json`),
    onLine: (line) => lines.push(line),
  });
  await app.start();
  await app.whenEnded;
  await app.stop();
  const figures = lines.find((line) => line.startsWith('{"ms"'));
  if (figures === undefined) throw new Error(`${peer} measured nothing:\n${lines.join('\n')}`);
  return (jobs / (JSON.parse(figures) as { ms: number }).ms) * 1000;
}
