import { Client } from 'pg';
import { generateFinishedRuns } from '@test/generator/finished-runs';
import { HttpClient } from '../client';
import { Deployment } from '../deployment';
import { forgetPeak, peakMiB, residentMiB } from '../process-use';
import type { Row } from '../row';

const RUNS = 50_000;

export const results: Row = {
  name: 'results',
  what: '50,000 results by `GET /api/v1/test`',
  against: '`COPY (select … json …) TO STDOUT` of the same JSON through the same driver',
  figures: [
    { what: '', unit: 'MB/s', of: 'rate', against: 'rate', mark: { atLeast: 0.7 } },
    { what: 'first byte', unit: 'ms', of: 'firstByteMs', mark: { atMost: 50 } },
    { what: 'growth of memory', unit: 'MiB', of: 'growthMiB', mark: { atMost: 32 } },
  ],
  rounds: 7,
  async open(place) {
    const runs = place.size(RUNS, 500);
    const deployment = await Deployment.start(place);
    const bare = new Client({ connectionString: deployment.databaseUrl });
    await bare.connect();
    await generateFinishedRuns(bare, {
      ...{ runs, seed: 1, suites: ['sid'], architectures: ['amd64'], packages: place.size(5_000, 50) },
      ...{ until: new Date(), days: 2, owners: [deployment.submitter], isBare: true },
    });
    const client = new HttpClient(deployment.url, { 'Auth-Key': deployment.key });
    const pid = deployment.api.pid!;
    return {
      async measured() {
        const before = await residentMiB(pid);
        await forgetPeak(pid);
        const { bytes, totalMs, firstByteMs } = await client.mustGet('/api/v1/test?since=0');
        return { rate: bytes / 1_000 / totalMs, firstByteMs, growthMiB: (await peakMiB(pid)) - before };
      },
      async bare() {
        const startedAt = performance.now();
        const bytes = await copyOut(bare, deployment.submitter.keyId);
        return { rate: bytes / 1_000 / (performance.now() - startedAt) };
      },
      async close() {
        client.close();
        await bare.end();
        await deployment.stop();
      },
    };
  },
};

/** pg discards what is copied out; the connection reports each piece. @returns bytes */
async function copyOut(client: Client, keyId: number): Promise<number> {
  let bytes = 0;
  const count = ({ chunk }: { chunk: Buffer }): void => void (bytes += chunk.length);
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
  connection.on('copyData', count);
  await client.query(`copy (${SELECT} where api_key_id = ${keyId} order by updated_at, run_id) to stdout`);
  connection.off('copyData', count);
  return bytes;
}

/** With the keys and values of a result object of the API. */
const SELECT = `
  select json_build_object('trigger', trigger, 'package', package, 'arch', arch, 'suite', suite, 'version', version,
    'status', verdict, 'run_id', run_id, 'is_private', is_private, 'extra_apt_sources', extra_apt_sources,
    'updated_at', updated_at, 'date', finished_at, 'duration_seconds', duration_seconds, 'created_at', created_at,
    'backend', backend, 'autopkgtest', variant, 'pin_packages', pin_packages, 'priority', priority, 'message', message,
    'exit_code', exit_code, 'worker', worker, 'attempt', attempt, 'state', state,
    'log_url', '/data/autopkgtest/' || suite || '/' || arch || '/' || left(package, 1) || '/' || package || '/' || run_id || '/log.gz',
    'artifacts_url', '/data/autopkgtest/' || suite || '/' || arch || '/' || left(package, 1) || '/' || package || '/' || run_id
      || '/artifacts.tar.gz')
  from runs`;
