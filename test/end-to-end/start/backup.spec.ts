import { appendFile, cp, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Machine } from '@test/support/command-line';
import { STUB_SUITE, stubConfiguration } from '@test/support/stub';

const machines: Machine[] = [];
afterAll(() => Promise.all(machines.map((machine) => machine.remove())));

interface Result {
  run_id: number;
  state: string;
  status: string | null;
}

/** All of them are executed. */
const RUNS_MAX = 12;

/** A machine that executes nothing but the stub. */
async function stubMachine(): Promise<Machine> {
  const machine = await Machine.make();
  machines.push(machine);
  const { proctor, worker } = stubConfiguration({}, 4);
  await machine.configure('proctor.yaml', JSON.stringify(proctor));
  await machine.configure('worker.yaml', JSON.stringify(worker));
  return machine;
}

/** A client that polls for what is new, and remembers all that it has got. */
class Client {
  readonly results = new Map<number, Result>();
  readonly submitted: number[] = [];
  url: string;
  private since = 0;

  constructor(
    machine: Machine,
    private readonly key: string,
  ) {
    this.url = machine.url;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { 'Auth-Key': this.key, 'Content-Type': 'application/json' };
    return fetch(`${this.url}/api/v1${path}`, { ...init, headers });
  }

  async submit(): Promise<number> {
    const answer = await this.fetch(`/test/${STUB_SUITE}/amd64/hello`, { method: 'POST', body: '{}' });
    const { runs } = (await answer.json()) as { runs: { run_id: number }[] };
    this.submitted.push(runs[0]!.run_id);
    return runs[0]!.run_id;
  }

  async poll(): Promise<void> {
    const answer = await this.fetch(`/test?since=${this.since}&wait=5`);
    const { until, results } = (await answer.json()) as { until: number; results: Result[] };
    this.since = until;
    for (const result of results) this.results.set(result.run_id, result);
  }

  /** Until all of these have passed. */
  async passed(runs: number[]): Promise<void> {
    while (!runs.every((runId) => this.results.get(runId)?.status === 'pass')) await this.poll();
  }
}

it('a backup that was made under load is restored in another home, whose clients go on where they were; what is old is counted beside it', async () => {
  const first = await stubMachine();
  const start = first.start();
  await start.ready();
  const client = new Client(first, (await first.read('admin.key')).trim());
  const before = await Promise.all(Array.from({ length: 3 }, () => client.submit()));
  await client.passed(before);

  let isMade = false;
  const load = (async () => {
    while (!isMade) await (client.submitted.length < RUNS_MAX ? client.submit() : client.poll());
  })();
  const folder = join(first.folder, 'backups');
  const backup = await first.program(['backup', folder]);
  isMade = true;
  await load;
  expect({ code: backup.code, stderr: backup.stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('tables'),
  });
  const path = backup.stdout.trim();
  expect(await readdir(folder)).toEqual([path.slice(folder.length + 1)]);
  const rehearsal = await first.program(['expire', '--dry-run', '--json']);
  expect(rehearsal).toEqual({
    code: 0,
    stdout: '{"removed":[],"stories":0,"runs":0}\n',
    stderr: expect.stringMatching(/^runs looked at, nothing is removed: \d+, \d+ a second$/m),
  });
  const lostRuns = await Promise.all(Array.from({ length: 2 }, () => client.submit()));
  await client.passed(lostRuns);
  await start.end('SIGTERM');

  const second = await stubMachine();
  const restored = await second.program(['restore', path]);
  expect([restored.code, restored.stderr]).toEqual([
    0,
    expect.stringContaining('none of these ids is used again'),
  ]);
  const again = await second.program(['restore', path]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('has a database already')]);
  await second.start().ready();
  client.url = second.url;

  // What was accepted before the moment of the backup ends, and nothing that came later has left a trace.
  const knownRuns: number[] = [];
  for (const runId of client.submitted) {
    const answer = await client.fetch(`/test/${runId}`);
    if (answer.status === 200) knownRuns.push(runId);
    else expect(answer.status).toBe(404);
  }
  expect(knownRuns).toEqual(expect.arrayContaining(before));
  for (const runId of lostRuns) expect(knownRuns).not.toContain(runId);
  const [next] = await Promise.all([client.submit()]);
  expect(next).toBeGreaterThan(Math.max(...lostRuns) + 90_000);
  for (const runId of knownRuns) if (!before.includes(runId)) client.results.delete(runId);
  await client.passed([next]);
  const unfinished = async (): Promise<number> => {
    const answer = (await (await client.fetch('/test?since=0')).json()) as { results: Result[] };
    const ids = answer.results.map(({ run_id: runId }) => runId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(knownRuns.length + 1);
    return answer.results.filter(({ status }) => status !== 'pass').length;
  };
  while ((await unfinished()) > 0) await client.poll();
  const log = await client.fetch(`/runs/${before[0]}/log`);
  expect([log.status, (await log.text()).length > 0]).toEqual([200, true]);
  const health = (await (
    await fetch(`${second.url}/health`, { headers: { 'Auth-Key': (await second.read('admin.key')).trim() } })
  ).json()) as {
    restored?: { nextRun: number };
  };
  expect(health.restored?.nextRun).toBe(next);

  const stored = (await readdir(join(path, 'store'), { recursive: true })).find((name) =>
    name.endsWith('/log.gz'),
  );
  const whole = join(first.folder, 'whole');
  await cp(path, whole, { recursive: true });
  await appendFile(join(path, 'store', stored!), 'x');
  const third = await stubMachine();
  expect(await third.program(['restore', path])).toMatchObject({ code: 1 });
  const remainingFiles = await readdir(third.home, { recursive: true });
  expect(remainingFiles.filter((name) => /admin\.key|admin\.password|nats-users/.test(name))).toEqual([]);

  const database = async (name: string): Promise<number | null> =>
    (await stat(join(first.home, name, 'data')).catch(() => null))?.ino ?? null;
  const own = await database('postgresql');
  const killed = first.begin(['restore', path, '--force']);
  await killed.line(/users: \d+ rows/);
  await killed.end('SIGKILL');
  expect([await database('postgresql'), await database('postgresql.before-restore')]).toEqual([own, null]);
  expect(await first.program(['restore', path, '--force'])).toMatchObject({ code: 1 });
  expect(await readdir(first.home)).not.toContain('postgresql.restoring');
  expect(await database('postgresql')).toBe(own);
  expect(await first.program(['restore', whole, '--force'])).toMatchObject({ code: 0 });
  expect(await database('postgresql.before-restore')).toBe(own);
  expect([null, own]).not.toContain(await database('postgresql'));

  const [table] = (await readdir(join(path, 'database'))).filter((name) => name.startsWith('runs.'));
  await appendFile(join(path, 'database', table!), 'x');
  const damaged = await (await stubMachine()).program(['restore', path]);
  expect([damaged.code, damaged.stderr]).toEqual([
    1,
    expect.stringMatching(/runs\.copy\.gz of the backup is damaged/),
  ]);
});
