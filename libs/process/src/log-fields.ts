import { AsyncLocalStorage } from 'node:async_hooks';

/** The fields of a line of a JSON log, without its message. */
export interface LogFields {
  worker?: string;
  run?: number;
  attempt?: number;
  /** Id of the HTTP request; its answer has it too. */
  request?: string | undefined;
  /** Other fields of a line. */
  [name: string]: unknown;
}

const storage = new AsyncLocalStorage<LogFields>();

/** All lines that are logged during `work` have these fields, and those around it. */
export function withLogFields<T>(fields: LogFields, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...fields }, work);
}

/** The fields of the running work. */
export function logFields(): LogFields {
  return storage.getStore() ?? {};
}
