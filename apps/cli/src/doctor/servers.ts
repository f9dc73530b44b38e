import { readCredentials, readServerState, type Credentials } from '@proctor/bus';
import type { StreamFill } from '@proctor/bus';
import { BEFORE_BASELINE, isBeforeBaseline, type OpenDatabase } from '@proctor/database';
import { findNats, withDatabase } from '../own-servers';
import { readConfiguration } from '../configuration';
import { fail, findingsOf, ok, warn, type Finding } from './finding';
import {
  backupFinding,
  certificateFindings,
  natsVersionFindings,
  ownerFinding,
  readCertificates,
} from './safety';

const POSTGRES_MIN = 14;
const CLOCK_WARN_MS = 1_000;
const CLOCK_FAIL_MS = 30_000;
/** How long to wait for a server that does not answer. */
const PATIENCE_MS = 5_000;
const NEARLY_FULL = 0.8;

/** Checks PostgreSQL: connection, version, schema and clock. */
export function checkDatabase(): Promise<Finding[]> {
  const remedy = 'start PostgreSQL, or correct PROCTOR_DATABASE_URL';
  return findingsOf('database', remedy, () => withDatabase(findingsOfDatabase));
}

async function findingsOfDatabase({ vitals }: OpenDatabase): Promise<Finding[]> {
  const { version, at, tookMs } = await vitals.server();
  const isOld = Number.parseInt(version, 10) < POSTGRES_MIN;
  const server = isOld
    ? fail('database', `PostgreSQL ${version}`, `upgrade PostgreSQL to ${POSTGRES_MIN} or newer`)
    : ok('database', `PostgreSQL ${version} answers in ${Math.round(tookMs)} ms`);
  const schema = await findingsOf('schema', 'proctor migrate', async () => [
    schemaFinding(await vitals.schema()),
  ]);
  const findings = [server, ...schema, clockFinding(at.getTime() + tookMs / 2 - Date.now())];
  // The other checks read rows, which only an up-to-date schema is sure to have.
  if (schema.some(({ state }) => state !== 'ok')) return findings;
  const configuration = await readConfiguration().catch(() => null);
  const { backupAgeSeconds } = await vitals.read();
  const owners = configuration
    ? [ownerFinding(configuration.server.architectures, await vitals.ownedArchitectures())]
    : [];
  return [...findings, ...owners, backupFinding(backupAgeSeconds)];
}

function schemaFinding({ pending, unknown }: { pending: string[]; unknown: string[] }): Finding {
  if (isBeforeBaseline(unknown)) return fail('schema', BEFORE_BASELINE, 'use a new, empty database');
  if (unknown.length > 0)
    return fail(
      'schema',
      `it is of a later version: ${unknown.join(', ')}`,
      'install the version of the other services',
    );
  if (pending.length === 0) return ok('schema', 'up to date');
  return fail('schema', `${pending.length} migrations are missing`, 'proctor migrate');
}

function clockFinding(aheadMs: number): Finding {
  const difference = `PostgreSQL's clock and this machine's differ by ${(Math.abs(aheadMs) / 1000).toFixed(1)} s`;
  const remedy = 'let both machines follow a time server: timedatectl set-ntp true';
  if (Math.abs(aheadMs) > CLOCK_FAIL_MS) return fail('clock', difference, remedy);
  return Math.abs(aheadMs) > CLOCK_WARN_MS ? warn('clock', difference, remedy) : ok('clock', difference);
}

/** Checks nats-server: connection, JetStream, streams, and the accounts of workers. */
export function checkNats(): Promise<Finding[]> {
  return findingsOf('nats', 'start nats-server, or name its users in PROCTOR_NATS_USERS', async () => {
    const schedulerCredentials = await credentials();
    const { version, streams } = await readServerState(schedulerCredentials, PATIENCE_MS);
    const findings = [
      ok('nats', `nats-server ${version} with JetStream answers`),
      ...natsVersionFindings(version, schedulerCredentials.url),
      ...streams.fills.map(streamFinding),
      ...(await ownCertificates()),
    ];
    return [...findings, ...(await accountsFindings())];
  });
}

function ownCertificates(): Promise<Finding[]> {
  const accounts = process.env['PROCTOR_NATS_ACCOUNTS'];
  return findingsOf('certificates', 'see what stands beside the accounts of nats-server', async () =>
    accounts ? certificateFindings(await readCertificates(accounts), Date.now()) : [],
  );
}

/** The credentials of the scheduler, the only user that may read the state of the streams. */
async function credentials(): Promise<Credentials> {
  const file = process.env['PROCTOR_NATS_CREDENTIALS'];
  return file ? readCredentials(file) : (await findNats()).users.read('scheduler');
}

function streamFinding({ kind, fullest }: StreamFill): Finding {
  const fill = `the fullest stream of ${kind} is ${Math.round(fullest * 100)} % full`;
  const forgets = kind === 'logs' || kind === 'events';
  if (forgets || fullest < NEARLY_FULL) return ok('streams', fill);
  return warn(
    'streams',
    fill,
    'see whether schedulers run and the store takes results: /health of the schedulers',
  );
}

async function accountsFindings(): Promise<Finding[]> {
  if (process.env['PROCTOR_NATS_CREDENTIALS'] && !process.env['PROCTOR_NATS_USERS']) return [];
  const remedy = 'proctor nats prepare --url ADDRESS';
  return findingsOf('accounts', remedy, async () => {
    await (await findNats()).requireAccess();
    return [ok('accounts', 'the file of accounts can be written: workers can be added here')];
  });
}
