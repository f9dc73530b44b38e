import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Credentials } from './credentials';
import { connectionOptions } from './connection-options';
import { StreamLevels, type StreamFills } from './stream-levels';

interface ReloadAnswer {
  error?: { description?: string };
}

/** How long to wait for answers of the servers of a cluster. */
const ANSWERS_MS = 500;
/**
 * nats-server applies the imports of a new account only when it reads its configuration a second time: until then all
 * requests in the account are answered "no responders".
 */
const RELOADS = 2;

/**
 * Makes each server reload its configuration, so that new accounts work. Servers before 2.10 do not answer.
 * @param system credentials of the user that may only do this
 * @returns the number of servers that have reloaded, and the reason why one has not; null if none gave a reason
 * @throws Error if no server can be reached in time
 */
export async function reloadServers(
  system: Credentials,
  timeoutMs: number,
): Promise<{ reloaded: number; refusal: string | null }> {
  let [reloaded, refusal]: [number, string | null] = [0, null];
  return withConnection(system, timeoutMs, async (nc) => {
    const pings = await nc.requestMany('$SYS.REQ.SERVER.PING', '', {
      maxWait: ANSWERS_MS,
      strategy: 'stall',
    });
    const ids: string[] = [];
    for await (const ping of pings) ids.push(ping.json<{ server: { id: string } }>().server.id);
    for (const id of ids) {
      const answer = await reload(nc, id, timeoutMs);
      if (answer?.error) refusal = answer.error.description ?? 'it was refused';
      else if (answer) reloaded += 1;
    }
    return { reloaded, refusal };
  });
}

/** Sends signals without content. @throws Error if the server cannot be reached in time, or refuses the credentials */
export async function sendSignals(
  credentials: Credentials,
  subjects: string[],
  timeoutMs: number,
): Promise<void> {
  await withConnection(credentials, timeoutMs, async (nc) => {
    for (const subject of subjects) nc.publish(subject, '{}');
    await nc.flush();
  });
}

/** The state of a server that a client sees. */
interface ServerState {
  version: string;
  streams: StreamFills;
}

/** @throws Error if the server cannot be reached in time, refuses the credentials, or has no JetStream for this user */
export function readServerState(credentials: Credentials, timeoutMs: number): Promise<ServerState> {
  return withConnection(credentials, timeoutMs, async (nc) => {
    const jsm = await jetstreamManager(nc, { timeout: timeoutMs, checkAPI: false });
    const levels = new StreamLevels({ jsm, isConnected: () => true });
    return { version: nc.info?.version ?? 'unknown', streams: await levels.read() };
  });
}

/**
 * Connects for a program that sends nothing else. Unlike the other connections, this one does not wait for a server
 * that cannot be reached.
 */
async function withConnection<T>(
  credentials: Credentials,
  timeoutMs: number,
  work: (nc: NatsConnection) => Promise<T>,
): Promise<T> {
  const options = connectionOptions(credentials, credentials.name);
  const nc = await connect({ ...options, timeout: timeoutMs, reconnect: false });
  try {
    return await work(nc);
  } finally {
    await nc.close();
  }
}

/** @returns the last answer; null: none came */
async function reload(nc: NatsConnection, id: string, timeoutMs: number): Promise<ReloadAnswer | null> {
  let answer: ReloadAnswer | null = {};
  for (let time = 0; time < RELOADS && answer !== null && !answer.error; time += 1) {
    answer = await nc
      .request(`$SYS.REQ.SERVER.${id}.RELOAD`, '', { timeout: timeoutMs })
      .then((message) => message.json<ReloadAnswer>())
      .catch(() => null);
  }
  return answer;
}
