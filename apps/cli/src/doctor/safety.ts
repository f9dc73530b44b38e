import { X509Certificate } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAtLeast, SAFE_NATS } from '@proctor/embedded';
import { ok, warn, type Finding } from './finding';

const DAY_MS = 86_400_000;
const CERTIFICATE_DAYS_MIN = 30;
/** Hours since the newest backup: one a day, and two hours to write it. */
const BACKUP_HOURS_MAX = 26;

/** @param url the address that the services use for nats-server; it shows whether other machines can reach it */
export function natsVersionFindings(version: string, url: string): Finding[] {
  const { hostname } = new URL(url);
  const isPrivate = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (isPrivate || isAtLeast(version, SAFE_NATS)) return [];
  const risk = `nats-server ${version} at ${hostname} has holes that are known`;
  return [
    warn('nats', risk, `upgrade nats-server to ${SAFE_NATS} or newer, or keep it on a private network`),
  ];
}

/** @param certificates PEM texts by file name */
export function certificateFindings(certificates: Record<string, string>, now: number): Finding[] {
  return Object.entries(certificates).map(([name, pem]) => {
    const { validTo } = new X509Certificate(pem);
    const days = Math.floor((Date.parse(validTo) - now) / DAY_MS);
    if (days >= CERTIFICATE_DAYS_MIN) return ok('certificates', `${name} is good for ${days} days`);
    const validity =
      days < 0 ? `${name} is good no longer, since ${validTo}` : `${name} is good for ${days} days`;
    return warn(
      'certificates',
      validity,
      `put a new certificate there: certificate.sh makes one once ${name} is gone`,
    );
  });
}

/** Reads the certificates in the folder of nats-server's accounts, which this machine creates. */
export async function readCertificates(accounts: string): Promise<Record<string, string>> {
  const folder = dirname(accounts);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.pem')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [join(folder, name), texts[index]!]));
}

/** @param ageSeconds age of the newest backup; null if there is none */
export function backupFinding(ageSeconds: number | null): Finding {
  const remedy = 'proctor backup FOLDER, each day: docs/operations.md has the line for cron';
  if (ageSeconds === null) return warn('backup', 'none was made', remedy);
  const hours = Math.round(ageSeconds / 3_600);
  const age = `the newest is ${hours} h old`;
  return hours > BACKUP_HOURS_MAX ? warn('backup', age, remedy) : ok('backup', age);
}

/** @param tested architectures of proctor.yaml. @param owned architectures that a scheduler takes care of */
export function ownerFinding(tested: string[], owned: string[]): Finding {
  const alone = tested.filter((arch) => !owned.includes(arch));
  if (alone.length === 0) return ok('schedulers', `every architecture has one: ${tested.join(', ')}`);
  const remedy = 'start a scheduler that reaches PostgreSQL and NATS; its log says what it waits for';
  return warn('schedulers', `none takes care of ${alone.join(', ')}`, remedy);
}
