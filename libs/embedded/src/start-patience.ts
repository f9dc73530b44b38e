/**
 * Time limit for the start of a server or an app. Few of them hang, but many machines are slow, busy or emulated, and a
 * database that was killed during much work first repeats that work.
 */
export const START_PATIENCE_MS = 600_000;
