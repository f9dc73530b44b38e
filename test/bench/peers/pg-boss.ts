import { setTimeout as pause } from 'node:timers/promises';
import { AT_ONCE, type Peer } from './plan';

/** As much of pg-boss as is used. */
interface Boss {
  start(): Promise<unknown>;
  stop(options: { graceful: boolean; wait: boolean }): Promise<void>;
  createQueue(name: string): Promise<void>;
  insert(jobs: { name: string }[]): Promise<void>;
  fetch(name: string): Promise<{ id: string }[]>;
  complete(name: string, id: string): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): void;
}

/** Not written where it is imported: its types leave out what is optional. */
const PACKAGE: string = 'pg-boss';
const QUEUE = 'noop';

/**
 * Its own workers look for the next job after half a second or more, whatever the last one took; a loop that fetches and
 * completes is the fastest that it can be asked for one job at a time.
 */
export async function pgBoss(databaseUrl: string): Promise<Peer> {
  const { default: Boss } = (await import(PACKAGE)) as {
    default: new (options: { connectionString: string; max: number }) => Boss;
  };
  const boss = new Boss({ connectionString: databaseUrl, max: AT_ONCE });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue(QUEUE);
  return {
    add: (jobs) => boss.insert(Array.from({ length: jobs }, () => ({ name: QUEUE }))),
    async execute(jobs) {
      let openJobs = jobs;
      const work = async (): Promise<void> => {
        while (openJobs > 0) {
          const [job] = await boss.fetch(QUEUE);
          if (!job) {
            await pause(5);
            continue;
          }
          await boss.complete(QUEUE, job.id);
          openJobs -= 1;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    },
    close: () => boss.stop({ graceful: false, wait: true }),
  };
}
