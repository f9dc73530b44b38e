import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packagePrefix } from '@proctor/contracts';

export interface DebciPlan {
  jobs: number;
  /** Every so manieth job has files below `data`; 0: none. */
  filesEvery?: number;
  /** Jobs at the end that have not finished. */
  pending?: number;
  /** As 3.x exported: without the columns of later versions. */
  isOld?: boolean;
}

const SUITES = ['stable', 'testing', 'unstable'];
const ARCHITECTURES = ['amd64', 'arm64', 'riscv64'];
const STATUSES = ['pass', 'pass', 'pass', 'pass', 'fail', 'neutral', 'tmpfail'];
const MESSAGES: Record<string, string> = {
  pass: 'All tests passed',
  fail: 'Tests failed',
  neutral: 'No tests in this package or all skipped',
  tmpfail: 'Unexpected autopkgtest exit code 20',
};
const START = Date.parse('2024-01-01T00:00:00Z');
const SECONDS_BETWEEN = 30;
const CHUNK_ROWS = 5_000;

/** The keys of the users, by id: debci has their digests alone. */
export const DEBCI_KEYS: Record<string, string> = {
  '1': '6e0c4a3e-4a53-4d6a-9d3a-6a1f2f1c0001',
  '2': '6e0c4a3e-4a53-4d6a-9d3a-6a1f2f1c0002',
  '3': '6e0c4a3e-4a53-4d6a-9d3a-6a1f2f1c0003',
};

const NEWER = ['requested_backend', 'selected_backend', 'received_at', 'autopkgtest', 'priority'];
const JOB_COLUMNS = [
  ...['run_id', 'created_at', 'updated_at', 'suite', 'arch', 'version', 'trigger', 'status', 'pin_packages'],
  ...['extra_apt_sources', 'date', 'duration_seconds', 'message', 'package_id', 'requestor_id', 'is_private'],
  ...['worker_id', 'log_size', 'artifacts_size', 'files_purged', ...NEWER],
];

/** As PostgreSQL writes a time without a zone. */
const timeOf = (seconds: number): string =>
  new Date(START + seconds * 1_000).toISOString().replace('T', ' ').replace('Z', '');

/** As `\copy … csv` does. */
function field(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  return text === '' || /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const line = (values: (string | number | null)[]): string => `${values.map(field).join(',')}\n`;

/** A package's name of its number, some that begin with `lib`. */
const nameOf = (place: number): string => `${place % 5 === 0 ? 'lib' : ''}pkg${place}`;

const packagesOf = ({ jobs }: DebciPlan): number => Math.max(3, Math.min(30_000, Math.ceil(jobs / 30)));

/** The row of the job with the number `id`, from 1 on. */
function job(id: number, plan: DebciPlan): Record<string, string | number | null> {
  const created = id * SECONDS_BETWEEN;
  const isPending = id > plan.jobs - (plan.pending ?? 0);
  const status = isPending ? null : STATUSES[(id * 5) % STATUSES.length]!;
  const took = 20 + ((id * 13) % 600);
  const endedAt = isPending ? null : timeOf(created + 60 + took);
  const isPinned = id % 11 === 0;
  return {
    run_id: id,
    created_at: timeOf(created),
    updated_at: endedAt ?? timeOf(created),
    suite: SUITES[id % SUITES.length]!,
    arch: ARCHITECTURES[(id >> 2) % ARCHITECTURES.length]!,
    version: status === null || status === 'tmpfail' ? null : `1.${id % 40}-1`,
    trigger: id % 17 === 0 ? 'glibc/2.40-1, "quoted"\nand a second line' : `glibc/2.${id % 40}-1`,
    status,
    pin_packages: isPinned ? '---\n- - src:glibc\n  - libc6\n  - unstable\n' : '--- []\n',
    extra_apt_sources: id % 19 === 0 ? '---\n- bullseye-security\n' : '--- []\n',
    date: endedAt,
    duration_seconds: isPending ? null : took,
    message: status === null ? null : MESSAGES[status]!,
    package_id: 1 + (id % packagesOf(plan)),
    requestor_id: 1 + (id % 3),
    is_private: id % 23 === 0 ? 't' : 'f',
    worker_id: isPending ? null : 1 + (id % 4),
    ...{ log_size: 100, artifacts_size: 100, files_purged: 'f' },
    requested_backend: null,
    selected_backend: id % 2 === 0 ? 'lxc' : 'qemu',
    received_at: endedAt,
    autopkgtest: null,
    priority: id % 29 === 0 ? 0 : 5,
  };
}

/** Writes a debci's tables as its users export them, and the files of some runs below `data`. */
export async function generateDebci(folder: string, plan: DebciPlan): Promise<void> {
  await mkdir(folder, { recursive: true });
  const at = timeOf(0);
  const users = [
    ['id', 'username', 'uid', 'admin', 'created_at', 'updated_at'],
    ['1', 'britney', null, 'f', at, at],
    ['2', 'elbrus', '4711', 't', at, at],
    ['3', 'ci-security', '', 'f', at, at],
  ];
  const keys = Object.entries(DEBCI_KEYS).map(([id, key]) => {
    return [id, at, at, createHash('sha1').update(key).digest('hex'), id, id === '1' ? 'on "ries"' : null];
  });
  const packages = Array.from({ length: packagesOf(plan) }, (_none, place) => {
    return [String(place + 1), nameOf(place + 1), place === 1 ? 'qemu' : null, place === 2 ? 't' : 'f', null];
  });
  const workers = ['ci-worker01', 'ci-worker02', 'ci-worker-arm64-01', 'ci-worker-riscv64-01'];
  const files: Record<string, (string | null)[][]> = {
    'users.csv': users,
    'keys.csv': [['id', 'created_at', 'updated_at', 'encrypted_key', 'user_id', 'description'], ...keys],
    'packages.csv': [['id', 'name', 'backend', 'removed', 'storage_limit'], ...packages],
    'workers.csv': [['id', 'name'], ...workers.map((name, place) => [String(place + 1), name])],
  };
  for (const [name, rows] of Object.entries(files))
    await writeFile(join(folder, name), rows.map(line).join(''));
  await writeJobs(folder, plan);
}

async function writeJobs(folder: string, plan: DebciPlan): Promise<void> {
  const columns = plan.isOld ? JOB_COLUMNS.filter((column) => !NEWER.includes(column)) : JOB_COLUMNS;
  const out = createWriteStream(join(folder, 'jobs.csv'));
  out.write(line(columns));
  let text = '';
  for (let id = 1; id <= plan.jobs; id += 1) {
    const row = job(id, plan);
    text += line(columns.map((column) => row[column]!));
    if (plan.filesEvery && id % plan.filesEvery === 0 && row['status'] !== null)
      await writeFiles(folder, row);
    if (id % CHUNK_ROWS !== 0) continue;
    if (!out.write(text)) await once(out, 'drain');
    text = '';
  }
  out.end(text);
  await once(out, 'close');
}

async function writeFiles(folder: string, row: Record<string, string | number | null>): Promise<void> {
  const name = nameOf(Number(row['package_id']));
  const place = [row['suite'], row['arch'], packagePrefix(name), name, row['run_id']].map(String);
  const of = join(folder, 'data', 'autopkgtest', ...place);
  await mkdir(of, { recursive: true });
  await writeFile(join(of, 'log.gz'), gzipSync(`log of ${row['run_id']}\n`));
  await writeFile(join(of, 'artifacts.tar.gz'), gzipSync(`artifacts of ${row['run_id']}\n`));
}
