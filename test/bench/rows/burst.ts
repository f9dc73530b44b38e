import { setTimeout as pause } from 'node:timers/promises';
import { HttpClient } from '../client';
import { SUITE } from '../deployment';
import { ExecutedDeployment } from '../executed';
import { percentile } from '../judging';
import type { Row } from '../row';

const ARCHITECTURES = ['amd64', 'arm64', 'armel', 'armhf', 'i386', 'ppc64el', 'riscv64', 's390x'];
const LIST_LENGTH = 5_000;
const CLIENTS = 50;
/** Between two polls of a client. */
const POLL_EVERY_MS = 1_000;

/** An upload that concerns everything: the lists come one after the other, while the first runs are executed. */
export const burst: Row = {
  name: 'burst',
  what: '25,000 runs on each of 8 architectures, in lists of 5,000, while 200 slots lease and 50 clients poll',
  against: null,
  figures: [
    { what: 'all accepted', unit: 's', of: 'acceptedSeconds', mark: { atMost: 40 } },
    { what: 'polls meanwhile, 99 of 100', unit: 'ms', of: 'pollMs', mark: { atMost: 250 } },
    { what: 'leases meanwhile, 99 of 100', unit: 'ms', of: 'leaseMs', mark: { atMost: 100 } },
    { what: 'leases meanwhile', unit: '', of: 'leases', mark: null },
  ],
  rounds: 1,
  async open(place) {
    const runs = place.size(25_000, 20);
    const length = Math.min(LIST_LENGTH, runs);
    const architectures = ARCHITECTURES.slice(0, place.size(8, 2));
    const executed = await ExecutedDeployment.start(
      place,
      { workers: 5, slots: place.size(5, 1) },
      { architectures, schedulers: 2 },
    );
    const { url, key } = executed.deployment;
    const submitting = new HttpClient(url, { 'Auth-Key': key });
    const clients = place.size(CLIENTS, 5);
    const polling = new HttpClient(url, { 'Auth-Key': key }, clients);
    return {
      async measured() {
        executed.leaseMs.length = 0;
        const work = new AbortController();
        const polls = Promise.all(Array.from({ length: clients }, () => poll(polling, work.signal)));
        const startedAt = performance.now();
        for (let from = 0; from < runs; from += length)
          for (const arch of architectures)
            await submitting.mustPost(`/api/v1/test/${SUITE}/${arch}`, list(from, length));
        const acceptedSeconds = (performance.now() - startedAt) / 1000;
        work.abort();
        const pollMs = percentile((await polls).flat(), 0.99);
        const { leaseMs } = executed;
        return { acceptedSeconds, pollMs, leaseMs: percentile(leaseMs, 0.99), leases: leaseMs.length };
      },
      async close() {
        submitting.close();
        polling.close();
        await executed.stop();
      },
    };
  },
};

function list(from: number, length: number): object[] {
  return Array.from({ length }, (_none, index) => ({
    package: `package${from + index}`,
    trigger: 'perl/5.42.0-1',
  }));
}

/** @returns how long each poll took, of a client that asks for what is new since now */
async function poll(client: HttpClient, end: AbortSignal): Promise<number[]> {
  const took: number[] = [];
  do {
    const since = Math.floor(Date.now() / 1000) + 60;
    took.push((await client.mustGet(`/api/v1/test?since=${since}`)).totalMs);
    await pause(POLL_EVERY_MS * (0.5 + Math.random()));
  } while (!end.aborted);
  return took;
}
