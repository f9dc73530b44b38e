import { Register } from '@proctor/administration';
import type { WorkerRecord } from '@proctor/database';
import { administer } from '../administration';

const HEADINGS = [
  'NAME',
  'ARCHITECTURES',
  'PRIVATE',
  'ADDED',
  'REVOKED',
  'SEEN',
  'SEEN FROM',
  'REFUSED',
  'LAST REFUSED',
  'WHY',
];

/** A table: who is a worker, for what, and when each was last seen or refused; `-` stands for nothing. */
export async function listWorkers(): Promise<void> {
  const workers = await administer((get) => get(Register).list());
  if (workers.length === 0) console.error('there are no workers');
  else for (const line of aligned([HEADINGS, ...workers.map(cells)])) console.log(line);
}

function cells(worker: WorkerRecord): string[] {
  return [
    worker.name,
    worker.architectures.join(','),
    worker.mayRunPrivate ? 'yes' : 'no',
    time(worker.createdAt),
    time(worker.revokedAt),
    time(worker.lastSeenAt),
    worker.lastSeenFrom ?? '-',
    String(worker.refusals),
    time(worker.lastRefusedAt),
    worker.lastRefusal ?? '-',
  ];
}

function time(at: Date | null): string {
  return at?.toISOString() ?? '-';
}

/** Each column as wide as its widest cell. */
function aligned(rows: string[][]): string[] {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
