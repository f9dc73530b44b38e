import { EventEmitter } from 'node:events';
import { Pool } from 'pg';
import { AT_ONCE, type Peer } from './plan';

/** As much of graphile-worker as is used. */
interface Graphile {
  run(options: object): Promise<{ stop(): Promise<void> }>;
  makeWorkerUtils(options: object): Promise<{
    migrate(): Promise<void>;
    addJobs(jobs: { identifier: string }[]): Promise<unknown>;
    release(): Promise<void>;
  }>;
  Logger: new (factory: () => () => void) => unknown;
}

/** Not written where it is imported, or its types would declare a global namespace of this project. */
const PACKAGE: string = 'graphile-worker';
const TASK = 'noop';

/** Its runner in its default configuration: each of its workers gets one job at a time. */
export async function graphileWorker(databaseUrl: string): Promise<Peer> {
  const graphile = (await import(PACKAGE)) as Graphile;
  const pgPool = new Pool({ connectionString: databaseUrl, max: AT_ONCE + 2 });
  const logger = new graphile.Logger(() => () => undefined);
  const utils = await graphile.makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  const events = new EventEmitter();
  let runner: { stop(): Promise<void> } | undefined;
  return {
    add: async (jobs) =>
      void (await utils.addJobs(Array.from({ length: jobs }, () => ({ identifier: TASK })))),
    async execute(jobs) {
      const completed = new Promise<void>((resolve) => {
        let openJobs = jobs;
        events.on('job:complete', () => (openJobs -= 1) === 0 && resolve());
      });
      const taskList = { [TASK]: () => Promise.resolve() };
      const options = { concurrency: AT_ONCE, noHandleSignals: true, crontab: '' };
      runner = await graphile.run({ pgPool, logger, events, taskList, ...options });
      await completed;
    },
    async close() {
      await runner?.stop();
      await utils.release();
      await pgPool.end();
    },
  };
}
