import { join } from 'node:path';
import { AppProcess, findFreePort } from '@proctor/embedded';
import type { BareApiPlan } from './api';

export interface BareApi {
  url: string;
  stop(): Promise<void>;
}

/** The bare endpoints as a process of their own, on a database with the bare table. */
export async function serveBare(databaseUrl: string, folder: string): Promise<BareApi> {
  const port = await findFreePort();
  const plan: BareApiPlan = { databaseUrl, port };
  const app = new AppProcess({
    name: 'bare-api',
    main: join(__dirname, 'api.js'),
    env: { ...process.env, PROCTOR_BENCH_BARE_API: JSON.stringify(plan) },
    identityFile: join(folder, 'bare-api.json'),
    onLine: (line) => console.error(line),
  });
  await app.start();
  return { url: `http://127.0.0.1:${port}`, stop: () => app.stop() };
}
