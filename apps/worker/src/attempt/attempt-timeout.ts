import type { WorkerConfiguration } from '@proctor/config';

/** The configured limit of a package in milliseconds; undefined: none. A full name wins over one with `*`. */
export function packageTimeoutMs(
  { timeouts }: Pick<WorkerConfiguration, 'timeouts'>,
  packageName: string,
): number | undefined {
  if (Object.hasOwn(timeouts, packageName)) return timeouts[packageName];
  const pattern = Object.keys(timeouts).find(
    (name) => name.endsWith('*') && packageName.startsWith(name.slice(0, -1)),
  );
  return pattern === undefined ? undefined : timeouts[pattern];
}

/** Wall-clock limit of an attempt in milliseconds. */
export function attemptTimeoutMs(
  settings: Pick<WorkerConfiguration, 'timeouts' | 'runTimeoutMs'>,
  packageName: string,
): number {
  return packageTimeoutMs(settings, packageName) ?? settings.runTimeoutMs;
}
