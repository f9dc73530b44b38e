import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connectBus, type BusLimits } from '@proctor/bus';
import type { TestUsers } from '@test/support/nats-users';
import { aWhile, type Fault, type FaultParts } from './fault';
import { ARCHITECTURES } from '../plan';

/** Bytes that the streams of reports may hold while they are "at their limit": less than one report. */
const NO_ROOM_BYTES = 64;
/** Some of these last longer than every limit of a caller, NATS's two unanswered pings included. */
const SERVER_FROZEN_MS = { min: 8_000, max: 50_000 };

export function restartedPostgres({ deployment: { postgres } }: FaultParts): Fault {
  const happen = async () => {
    await postgres.stop();
    await postgres.start();
  };
  return { title: 'PostgreSQL restarted', of: 'postgres', happen };
}

export function frozenPostgres(parts: FaultParts): Fault {
  const { postgres } = parts.deployment;
  const happen = async () => {
    const pid = postgres.pid;
    if (pid === null) throw new Error('PostgreSQL does not run');
    // The postmaster first: then it starts no others.
    signal(pid, 'SIGSTOP');
    childrenOf(pid).forEach((child) => signal(child, 'SIGSTOP'));
    await aWhile(parts, SERVER_FROZEN_MS.min, SERVER_FROZEN_MS.max);
    childrenOf(pid).forEach((child) => signal(child, 'SIGCONT'));
    signal(pid, 'SIGCONT');
  };
  return { title: 'PostgreSQL frozen', of: 'postgres', happen };
}

export function killedNats(parts: FaultParts): Fault {
  const { nats } = parts.deployment;
  const happen = async () => {
    nats.kill('SIGKILL');
    await nats.whenEnded;
    await aWhile(parts, 0, 2_000);
    await nats.start();
  };
  return { title: 'nats-server killed', of: 'nats', happen };
}

export function frozenNats(parts: FaultParts): Fault {
  const { nats } = parts.deployment;
  const happen = async () => {
    nats.kill('SIGSTOP');
    await aWhile(parts, SERVER_FROZEN_MS.min, SERVER_FROZEN_MS.max);
    nats.kill('SIGCONT');
  };
  return { title: 'nats-server frozen', of: 'nats', happen };
}

export function lostJetStream({ deployment }: FaultParts): Fault {
  const { nats } = deployment;
  const happen = async () => {
    await nats.stop();
    await rm(join(deployment.natsFolder, 'jetstream'), { recursive: true });
    await nats.start();
  };
  return { title: "JetStream's files lost", of: 'nats', happen };
}

export function fullStreams(parts: FaultParts): Fault {
  const happen = async () => {
    const { users } = parts.deployment;
    await limitReports(users, { reportsBytesMax: NO_ROOM_BYTES });
    await aWhile(parts, 5_000, 5_000);
    await limitReports(users, {});
  };
  return { title: 'streams at their limit', of: 'nats', happen };
}

/** As the scheduler does that serves an architecture, with these limits. */
async function limitReports(users: TestUsers, limits: Partial<BusLimits>): Promise<void> {
  const bus = await connectBus(await users.operator(), { limits });
  const workers = users.workers.map(({ name }) => name);
  await Promise.all(ARCHITECTURES.map((arch) => bus.prepareReports(arch, workers)));
  await bus.close();
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

/** null when it has ended. */
function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** A process that has ended meanwhile needs none. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
