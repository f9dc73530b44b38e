import { ConfigurationWatcher } from './configuration-watcher';
import type { LiveConfiguration, Reload } from './live-configuration';

interface ConfigurationLog {
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Applies changes of the folder while the process runs, at once after SIGHUP, and logs each of them. */
export function followConfiguration(live: LiveConfiguration, log: ConfigurationLog): ConfigurationWatcher {
  const watcher = new ConfigurationWatcher(live, (reload) => logReload(reload, live, log));
  process.on('SIGHUP', () => void watcher.reload());
  return watcher;
}

function logReload(reload: Reload, live: LiveConfiguration, log: ConfigurationLog): void {
  const { folder } = live.lastRead;
  if (reload.kind === 'refused') {
    const since = reload.inUseSince.toISOString();
    log.error(
      `${folder} is NOT in use: it has errors. The configuration that was read at ${since} stays in use. Errors:`,
    );
    for (const problem of reload.problems) log.error(problem);
    return;
  }
  const applied = reload.changes.filter(({ needsRestart }) => !needsRestart);
  log.log(
    `${folder} is in use${applied.length > 0 ? ', with these changes:' : ', and no value in use changes'}`,
  );
  for (const { text } of applied) log.log(text);
  for (const { text, needsRestart } of reload.changes) if (needsRestart) log.warn(text);
}
