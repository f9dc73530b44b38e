const PARENT_POLL_MS = 1_000;
/** Ctrl-C sends two signals: one from the terminal, and one from npm, which forwards its own. */
const SAME_REQUEST_MS = 300;

/**
 * Calls `onRequest` with the cause at each SIGINT, SIGTERM or SIGHUP, and when the npm that started this process is
 * gone. A killed npm sends no signal to the processes that it started.
 * @returns a function that stops listening
 */
export function onStopRequest(onRequest: (cause: string) => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let lastAt = -Infinity;
  const listener = (signal: NodeJS.Signals): void => {
    const isRepeated = performance.now() - lastAt < SAME_REQUEST_MS;
    lastAt = performance.now();
    if (!isRepeated) onRequest(signal);
  };
  signals.forEach((signal) => process.on(signal, listener));
  const stopWatching = process.env['npm_lifecycle_event'] ? watchParent(onRequest) : () => undefined;
  return () => {
    signals.forEach((signal) => process.off(signal, listener));
    stopWatching();
  };
}

function watchParent(onRequest: (cause: string) => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onRequest('npm has ended');
  }, PARENT_POLL_MS);
  return () => clearInterval(timer);
}
