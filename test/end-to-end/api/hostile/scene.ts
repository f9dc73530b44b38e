import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { create } from 'tar';
import type { RunningApi } from '@test/support/api';
import { startApi } from '@test/support/api';
import { Browser } from '@test/support/browser';

/** Ends whatever it may stand in, and would be an element, an attribute, a command of a terminal and a turned order. */
export const EVIL = `"'><x-evil onload=1 x-evil></title></textarea><script>evil()</script>&amp;\u202e\u2066\x1b]8;;javascript:evil()\x07`;
/** Hostile text that can be the name of a file or a part of a path. */
export const EVIL_NAME = `"'><x-evil onload=1 x-evil>&amp;\u202e`;

const own = (text: string): string => `autopkgtest [12:34:56]: ${text}\n`;
const LOG =
  own('starting') +
  own(`test ${'<x-evil>'}: preparing testbed`) +
  own(`test ${'<x-evil>'}: [-----------------------`) +
  `${EVIL}\n${'y'.repeat(1_000_000)}${EVIL}\nhttp://evil.example/"onload=1 javascript:evil()\nerror: ${EVIL}\n` +
  own(`test ${'<x-evil>'}: -----------------------]`) +
  own(`test ${'<x-evil>'}:  - - - - - - - - - - results - - - - - - - - - -`) +
  `<x-evil>   FAIL ${EVIL}\n`;

/** Where no control characters may be. */
const EVIL_LINE = EVIL.replace(/\p{C}/gu, '');

/** A deployment in which everything that others may write is hostile. */
export class HostileScene {
  private constructor(
    readonly api: RunningApi,
    /** The keys are the names of the readers. */
    readonly browsers: Record<'public' | 'alice' | 'root', Browser>,
  ) {}

  static async make(): Promise<HostileScene> {
    // No mail is sent without an address of the pages.
    const mail = { ...{ host: '127.0.0.1', port: 1, sender: 'ci@example.org' }, timeoutMs: 1_000 };
    const api = await startApi({
      server: { passwordGuessesPerHourMax: 1_000, mail: { ...mail, tls: 'none' } },
    });
    await api.database.users.setPassword('alice', 'of alice');
    await api.database.users.add('root', { isAdmin: true, password: 'of root' });
    const browsers = {
      public: new Browser(api.url),
      alice: new Browser(api.url),
      root: new Browser(api.url),
    };
    await browsers.alice.logIn('alice', 'of alice');
    await browsers.root.logIn('root', 'of root');
    const scene = new HostileScene(api, browsers);
    await scene.fill();
    return scene;
  }

  stop(): Promise<void> {
    return this.api.stop();
  }

  private async fill(): Promise<void> {
    const { api } = this;
    await api.database.apiKeys.create('alice', EVIL);
    const files = {
      'log.gz': LOG,
      'artifacts.tar.gz': await archive({
        [EVIL_NAME]: EVIL,
        'testbed-packages': `libc6\t${EVIL_NAME}\n<x-evil>\t1\n`,
      }),
    };
    const tests = [{ name: `t${EVIL}`, status: 'FAIL' as const, detail: EVIL }];
    const excerpt = { errorLine: 4, firstLine: 4, lines: [`error: ${EVIL}`] };
    const error = { signature: '0123456789abcdef', excerpt };
    await api.finish(await api.submit('hello', { trigger: 'glibc/2.40-4' }), { files });
    const image = { name: EVIL_LINE, builtAtMs: 5 };
    const bad = { version: `1${EVIL}`, message: `tests failed: ${EVIL}`, files, tests, error, image };
    for (const name of ['hello', 'hello', 'libevil', 'glibc'])
      await api.finish(await api.submit(name, { trigger: `glibc/2.40-5${EVIL_NAME} ${EVIL}` }), {
        ...bad,
        verdict: name === 'libevil' ? 'tmpfail' : 'fail',
      });
    const bugs = ['#7', 'https://evil.example/?onload=1&x-evil'];
    await this.post('/notes', { package: 'hello', text: EVIL, bugs });
    await this.post('/notes', { run_id: 2, subject: 'error', text: EVIL, bugs });
    const url = 'https://evil.example/?onload=1&x-evil';
    await this.post('/webhooks', { url, description: EVIL_LINE, package: ['never-tested'] });
    const secret = await api.submit('secret', { is_private: true, trigger: EVIL });
    await api.finish(secret, { ...bad, verdict: 'fail' });
    await api.submit('hello', { trigger: EVIL });
    await api.submit('hello', { trigger: `glibc/2.40-5${EVIL_NAME}`, is_private: true });
    await this.run(await api.submit('zlib', { trigger: EVIL }));
    await this.decide();
    this.answerStatus();
  }

  /** A run that is executed, with a live log. */
  private async run(runId: number): Promise<void> {
    await this.api.start(runId);
    const [attempt] = await this.api.database.results.attemptsOf(runId);
    const grant = { runId, attempt: 1, grantEpoch: attempt!.epoch };
    const data = Buffer.from(LOG).toString('base64');
    await this.api.bus.appendLog('worker-1', grant, { chunk: 0, offset: 0, data });
  }

  private async post(path: string, body: object, key?: string): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    const response = await this.api.api(path, { method: 'POST', headers, body: JSON.stringify(body) }, key);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }

  private async decide(): Promise<void> {
    const { key } = await this.api.database.apiKeys.create('root', EVIL);
    await this.post('/admin/pause', { suite: 'trixie', reason: EVIL }, key);
    await this.post('/admin/drain', { worker: 'worker-1', reason: EVIL }, key);
  }

  /** As a dispatcher does, with what workers say of themselves. */
  private answerStatus(): void {
    const testbed = { suite: 'bookworm', backend: 'unshare', state: 'failed', detail: EVIL };
    const worker = {
      ...{
        worker: 'worker-1',
        slots: 2,
        busy: 1,
        testbeds: [testbed],
        variants: [EVIL],
        sizeClasses: [EVIL],
      },
      ...{
        standing: 'quarantined',
        reason: EVIL,
        untilMs: 60_000,
        drained: { by: 'root', reason: EVIL, since: '2026-01-02T03:04:05Z' },
      },
      problem: EVIL,
    };
    const reply = { arch: 'amd64', epoch: 1, workers: [worker], queues: [] };
    this.api.bus.subscribe(subjectOf(SUBJECTS.status, 'amd64'), ({ respond }) =>
      respond?.(JSON.stringify(reply)),
    );
  }
}

async function archive(files: Record<string, string>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'proctor-hostile-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await create({ cwd: folder, portable: true, gzip: true, file: join(folder, 'all') }, Object.keys(files));
    return gunzipSync(await readFile(join(folder, 'all')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
