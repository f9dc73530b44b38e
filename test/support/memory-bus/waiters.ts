/** Promises by name, to be resolved by others. */
export class Waiters {
  private readonly waiting = new Map<string, Set<() => void>>();

  /** Resolves at the next wake of the name, or when the signal aborts. */
  wait(name: string, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.waiting.get(name) ?? new Set();
      this.waiting.set(name, waiting);
      const end = () => {
        waiting.delete(end);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      waiting.add(end);
      signal?.addEventListener('abort', end, { once: true });
    });
  }

  wake(name: string): void {
    for (const end of [...(this.waiting.get(name) ?? [])]) end();
  }
}
