import type { Check } from './check';
import { PATIENCE_MS } from './expectations';
import { NotTried } from './outcomes';
import type { Instance } from './instance';

export interface Outcome {
  check: Check;
  result: 'passed' | 'failed' | 'not tried';
  /** Why it failed, or what was missing. */
  reason?: string;
  ms: number;
}

/** @throws NotTried when the instance lacks an ability, whatever the check throws, or when its time is over */
export async function runCheck(check: Check, instance: Instance): Promise<void> {
  const missing = (check.needs ?? []).filter((ability) => !instance.has(ability));
  if (missing.length > 0) throw new NotTried(missing.join(', '));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  });
  try {
    await Promise.race([check.run(instance), late]);
  } finally {
    clearTimeout(timer);
  }
}

export async function tryCheck(check: Check, instance: Instance): Promise<Outcome> {
  const startedAt = performance.now();
  const outcome = (result: Outcome['result'], reason?: string): Outcome => {
    return { check, result, ...(reason !== undefined && { reason }), ms: performance.now() - startedAt };
  };
  try {
    await runCheck(check, instance);
    return outcome('passed');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return outcome(error instanceof NotTried ? 'not tried' : 'failed', reason);
  }
}
