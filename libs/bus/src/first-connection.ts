import { connect, errors, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { growingPauseMs, scatterPause } from '@proctor/pauses';
import { setTimeout as delay } from 'node:timers/promises';
import { RECONNECT_WAIT_MS } from './connection-options';

/** The longest pause before another try with a server that was away, or refused this user, when the process started. */
const CONNECT_MAX_MS = 5_000;

/**
 * A server that had no time to check the credentials, for example on a loaded machine, answers with an error of the
 * same class.
 */
export function isRefusedUser(error: unknown): boolean {
  return error instanceof errors.AuthorizationError && !/timeout/i.test(error.message);
}

/** Connects, and waits while the server cannot be reached. A refusal is final, unless `waitsForAdmission`. */
export async function firstConnection(
  options: ConnectionOptions,
  waitsForAdmission: boolean,
): Promise<NatsConnection> {
  let lastWarning = '';
  for (let failures = 1; ; failures += 1) {
    try {
      return await connect(options);
    } catch (error) {
      const isRefused = isRefusedUser(error);
      if (isRefused && !waitsForAdmission) throw error;
      const what = isRefused
        ? `nats-server at ${String(options.servers)} does not let ${options.name} in: is it registered?`
        : `no NATS at ${String(options.servers)} yet, trying again: ${String(error)}`;
      if (what !== lastWarning) new Logger('Bus').warn(what);
      lastWarning = what;
      await delay(pauseMsAfter(failures, RECONNECT_WAIT_MS));
    }
  }
}

/** Random, since all processes of a deployment may wait for the same server. */
export function pauseMsAfter(failures: number, firstMs: number): number {
  return scatterPause(growingPauseMs(firstMs, CONNECT_MAX_MS, failures), Math.random());
}
