/**
 * How long a server or an app may take until it serves. What hangs is rare; machines that are slow, busy or emulated are not,
 * and a database that was ended in the middle of much work first repeats that work.
 */
export const START_PATIENCE_MS = 600_000;
