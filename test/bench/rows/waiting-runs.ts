import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Bus, connectBus, NoAnswer } from '@proctor/bus';
import { type LeaseReply, requestSubject } from '@proctor/contracts';
import { Client } from 'pg';
import { generateWaitingRuns } from '@test/generator/waiting-runs';
import { BACKEND, Deployment, SUITE, VARIANT } from '../deployment';
import { residentMiB } from '../process-use';
import type { Row } from '../row';

const ARCHITECTURES = ['amd64', 'arm64', 'armel', 'armhf', 'i386', 'ppc64el', 'riscv64', 's390x'];
const WORKER = 'machine';
const INCARNATION = randomUUID();
const ANSWER_TIMEOUT_MS = 2_000;

/** Two schedulers own four architectures each; one of them ends, and the other takes over. */
export const waitingRuns: Row = {
  name: 'waiting-20m',
  what: '20 million waiting runs over 8 architectures',
  against: null,
  figures: [
    { what: 'memory of the scheduler that owns all', unit: 'MiB', of: 'memory', mark: { atMost: 300 } },
    {
      what: 'the last architecture taken over, since the other got its SIGTERM',
      unit: 's',
      of: 'takeover',
      mark: { atMost: 5 },
    },
  ],
  rounds: 1,
  isLarge: true,
  async open(place) {
    const deployment = await Deployment.start(place, {
      ...{ architectures: ARCHITECTURES, schedulers: 2, workers: [WORKER] },
      fill: async (databaseUrl) => {
        const filling = new Client({ connectionString: databaseUrl });
        await filling.connect();
        await generateWaitingRuns(filling, {
          ...{ runs: place.size(20_000_000, 4_000), seed: 1, suites: [SUITE], architectures: ARCHITECTURES },
          ...{ packages: place.size(20_000, 100), backend: BACKEND, variant: VARIANT, takenIn: true },
          ...{ until: new Date(), days: 3 },
        });
        await filling.end();
      },
    });
    const bus = await connectBus(await deployment.users.read(WORKER));
    const client = new Client({ connectionString: deployment.databaseUrl });
    await client.connect();
    return {
      async measured() {
        const [ending, staying] = deployment.schedulers;
        await untilServed(client, bus, 2);
        const startedAt = performance.now();
        await ending!.stop();
        await untilServed(client, bus, 1);
        const takeover = (performance.now() - startedAt) / 1_000;
        return { takeover, memory: await residentMiB(staying!.pid!) };
      },
      async close() {
        await Promise.all([bus.close(), client.end()]);
        await deployment.stop();
      },
    };
  },
};

/** Resolves once so many schedulers own all architectures, and each is answered for. */
async function untilServed(client: Client, bus: Bus, schedulers: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ arch: string; owner: string; epoch: string }>(
      'select arch, owner, epoch from dispatchers where owner is not null and expires_at > now()',
    );
    const isShared = new Set(rows.map(({ owner }) => owner)).size === schedulers;
    if (rows.length === ARCHITECTURES.length && isShared) {
      const answers = await Promise.all(rows.map(({ arch }) => epochOf(bus, arch)));
      if (rows.every(({ epoch }, index) => Number(epoch) === answers[index])) return;
    }
    await pause(20);
  }
}

/** Who answers for an architecture; null when no scheduler does. The request is granted nothing. */
async function epochOf(bus: Bus, arch: string): Promise<number | null> {
  const request = {
    ...{ worker: WORKER, incarnation: INCARNATION, slot: 0, ask: randomUUID() },
    ...{ testbeds: [], variants: [], problem: 'it only looks who answers' },
  };
  const subject = requestSubject(arch, WORKER, 'lease');
  const answer = await bus
    .request<LeaseReply>(subject, request, ANSWER_TIMEOUT_MS)
    .catch((error: unknown) => {
      if (error instanceof NoAnswer) return null;
      throw error;
    });
  return answer?.epoch ?? null;
}
