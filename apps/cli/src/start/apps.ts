import { join } from 'node:path';
import { AppProcess, stopLeftOverApp, type Home } from '@proctor/embedded';
import { escapeLine } from '@proctor/process';

export const APPS = ['api', 'scheduler', 'worker'] as const;
export type AppName = (typeof APPS)[number];

/**
 * Node.js would let 48 MiB of short-lived objects gather before it frees any, in each process. A busy scheduler makes so many
 * that to free them after 6 MiB costs it a sixth of its speed.
 */
export const NODE_OPTIONS: Record<AppName, string[]> = {
  api: ['--max-semi-space-size=2'],
  scheduler: ['--max-semi-space-size=4'],
  worker: ['--max-semi-space-size=2'],
};

const NAME_WIDTH = Math.max(...APPS.map((name) => name.length));

/** An app of this build; its lines go to standard output with its name before them. */
export function appProcess(name: AppName, env: NodeJS.ProcessEnv, home: Home): AppProcess {
  return new AppProcess({
    name,
    main: join(__dirname, `../../../${name}/src/main.js`),
    env,
    nodeOptions: NODE_OPTIONS[name],
    identityFile: home.processFile(name),
    // At SIGTERM a worker finishes its tests first, which may take hours.
    stopSignal: name === 'worker' ? 'SIGINT' : 'SIGTERM',
    // A program that ends by an error writes what others wrote as it is.
    onLine: (line) => console.log(`${name.padEnd(NAME_WIDTH)} | ${escapeLine(line)}`),
  });
}

/** Apps of a run that was killed end by themselves; this waits for it. */
export async function endLeftOverApps(home: Home): Promise<void> {
  await Promise.all(APPS.map((name) => stopLeftOverApp(home.processFile(name))));
}
