/** Advice after a failed command whose error gives none. The keys are commands or groups of commands. */
const USUAL: Record<string, string | null> = {
  run: 'proctor run list shows all runs',
  trigger: 'proctor trigger list shows all triggers',
  'reject-list': 'proctor reject-list show prints the whole list',
  user: 'proctor user list shows all users',
  key: 'proctor key list USER shows the valid keys of a user',
  worker: 'proctor worker list --registered shows all workers',
  'worker check': 'do what the lines above say, then: proctor worker check',
  'worker drain': 'proctor worker list shows the connected workers',
  'worker resume': 'proctor decisions shows what is paused and drained',
  'worker trust': 'proctor worker list shows the workers, and how each stands',
  pause: 'proctor decisions shows what is paused and drained',
  resume: 'proctor decisions shows what is paused and drained',
  webhook: 'proctor webhook list shows your webhooks',
  config: 'docs/configuration.md has every key; proctor config schema FILE is for editors',
  'config check': 'correct what the lines above name, then: proctor config check',
  doctor: 'do what the lines above say, then: proctor doctor',
  nats: 'docs/deployment.md says how nats-server is prepared',
  backup: 'docs/operations.md describes backups; proctor doctor looks at disk and database',
  restore: 'docs/operations.md says how a backup is restored',
  import: 'correct the export, then type the same again; docs/moving-in.md says more',
  // Each of its messages says what to do.
  start: null,
};

export const NEEDS = 'proctor doctor looks at everything that it needs';

/**
 * @param words of the command that was typed, without `proctor`; empty if it was not understood. @returns null for no
 * advice
 */
export function usualAdvice(words: string[]): string | null {
  if (words.length === 0) return null;
  for (let count = words.length; count > 0; count--) {
    const advice = USUAL[words.slice(0, count).join(' ')];
    if (advice !== undefined) return advice;
  }
  return NEEDS;
}
