import { open, stat } from 'node:fs/promises';
import { logFile, runningNats, writeAccounts } from './embedded-nats';
import { until } from './until';

const RELOAD_TIMEOUT_MS = 10_000;
/**
 * nats-server applies the imports of a new account only when it reads its configuration a second time: until then all
 * requests in the account are answered "no responders".
 */
const RELOADS = 2;
/** nats-server's log line after it has reloaded its configuration, or failed to. */
const RELOADED = /Reloaded server configuration|Failed to reload server configuration.*/;

/**
 * Changes the accounts of the nats-server of this folder. A running server then accepts new users, closes the
 * connections of removed users, and keeps all others; that is done when the promise resolves. A stopped server reads
 * the accounts at its next start, unless that start brings its own.
 * @throws Error if the server does not accept them in time
 */
export async function changeAccounts(folder: string, accounts: string): Promise<void> {
  await writeAccounts(folder, accounts);
  const pid = runningNats(folder);
  for (let time = 0; pid !== null && time < RELOADS; time += 1) await reload(folder, pid);
}

async function reload(folder: string, pid: number): Promise<void> {
  const log = logFile(folder);
  const { size } = await stat(log);
  let text = '';
  process.kill(pid, 'SIGHUP');
  const inTime = await until(async () => {
    text = await readFrom(log, size);
    return RELOADED.test(text);
  }, RELOAD_TIMEOUT_MS);
  const [outcome = ''] = RELOADED.exec(text) ?? [];
  if (!inTime) throw new Error(`nats-server did not read its accounts again; see ${log}`);
  if (outcome.startsWith('Failed')) throw new Error(`nats-server: ${outcome}`);
}

async function readFrom(path: string, position: number): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.max(1, size - position)),
      position,
    });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
