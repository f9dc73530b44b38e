import { open, stat } from 'node:fs/promises';
import { logFile, runningNats, writeAccounts } from './embedded-nats';
import { until } from './until';

const RELOAD_TIMEOUT_MS = 10_000;
/**
 * nats-server makes the imports of an account that is new only when it reads its configuration a second time: until then
 * whatever is asked in it is answered "no responders".
 */
const RELOADS = 2;
/** What nats-server logs once it has read its configuration again, or could not. */
const RELOADED = /Reloaded server configuration|Failed to reload server configuration.*/;

/**
 * Gives the nats-server of this folder other accounts. One that runs lets new users in and ends the connections of users
 * that are gone, and leaves all others; that is done when the promise resolves. One that does not run finds them at its
 * next start, unless that brings its own.
 * @throws when the server does not take them in time
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
