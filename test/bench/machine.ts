import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Place } from './place';
import type { Machine } from './report';

export async function describeMachine(place: Place): Promise<Machine> {
  const client = new Client({ connectionString: place.postgres.url });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    node: process.version,
    system: /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? process.platform,
    processors: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    load: Number(loadavg()[0]!.toFixed(1)),
    postgres: rows[0]!.server_version,
    nats: /v([\d.]+)/.exec(execFileSync(place.natsBinary, ['--version'], { encoding: 'utf8' }))?.[1] ?? '',
    peers: ['pg-boss', 'graphile-worker'].map((name) => `${name} ${versionOf(name)}`).join(', '),
  };
}

function versionOf(name: string): string {
  const path = join(process.cwd(), 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}

function commit(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  try {
    const isChanged = git('status', '--porcelain', 'apps', 'libs', 'test') !== '';
    return git('rev-parse', '--short', 'HEAD') + (isChanged ? ' and changes' : '');
  } catch {
    return 'unknown';
  }
}
