import { AsyncLocalStorage } from 'node:async_hooks';

/** What a line of a JSON log has beside its message. */
export interface LogFields {
  worker?: string;
  run?: number;
  attempt?: number;
  /** Of HTTP, by the id that its answer names. */
  request?: string | undefined;
  /** Of a line that is about something with numbers of its own. */
  [name: string]: unknown;
}

const storage = new AsyncLocalStorage<LogFields>();

/** Everything that is logged by `work`, and by whatever it starts, carries these fields and those around it. */
export function withLogFields<T>(fields: LogFields, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...fields }, work);
}

/** Those of the work that is under way. */
export function logFields(): LogFields {
  return storage.getStore() ?? {};
}
