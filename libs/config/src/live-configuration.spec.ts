import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationWatcher, type WatcherSettings } from './configuration-watcher';
import { FolderContent } from './folder';
import { followConfiguration } from './follow';
import { LiveConfiguration, type Reload } from './live-configuration';

const HOUR_MS = 3_600_000;
/** Long enough that a test which waits for it fails. */
const NEVER: WatcherSettings = { quietMs: HOUR_MS, vanishedQuietMs: HOUR_MS, pollMs: HOUR_MS };
const HELLO = 'hello: { "*": { "*": { 1.0-1: "" } } }';

let folder: string;
let live: LiveConfiguration;
let watcher: ConfigurationWatcher | undefined;
let reloads: Reload[];
let arrived: () => void;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'proctor-live-')), 'config');
  await mkdir(folder);
  reloads = [];
});

afterEach(async () => {
  await watcher?.close();
  watcher = undefined;
  await rm(join(folder, '..'), { recursive: true });
});

const write = (name: string, text: string) => writeFile(join(folder, name), text);

async function load(): Promise<LiveConfiguration> {
  const env = { PROCTOR_CONFIG: folder, PROCTOR_HOME: '/home/of/proctor' };
  live = await LiveConfiguration.load(
    ['server', 'store', 'scheduler', 'worker', 'extraAptSources', 'rejectList'],
    env,
  );
  return live;
}

async function follow(settings: Partial<WatcherSettings>): Promise<void> {
  await load();
  watcher = new ConfigurationWatcher(
    live,
    (reload) => {
      reloads.push(reload);
      arrived?.();
    },
    { ...NEVER, ...settings },
  );
}

/** What became of the n-th change, 1 is the first. */
async function reloaded(count: number): Promise<Reload> {
  while (reloads.length < count) await new Promise<void>((resolve) => (arrived = resolve));
  return reloads[count - 1] as Reload;
}

const texts = (reload: Reload) =>
  reload.kind === 'taken' ? reload.changes.map(({ text }) => text) : reload.problems;

describe('a reload', () => {
  beforeEach(load);

  const reload = async () => {
    let outcome: Reload | undefined;
    watcher = new ConfigurationWatcher(live, (told) => (outcome = told), NEVER);
    await watcher.reload();
    return outcome as Reload;
  };

  it('puts everything in use that can be, and says what changed', async () => {
    const changed = jest.fn();
    live.onChange(changed);
    const before = live.status.loadedAt;
    await write(
      'proctor.yaml',
      'suites: [sid, trixie]\napi: { itemsPerRequestMax: 7, publicUrl: http://ci.example }',
    );
    await write('reject-list.yaml', HELLO);
    await write('apt-sources.yaml', 'inner: { lines: ["deb https://me:secret@mirror.example sid main"] }');
    const outcome = await reload();
    expect(texts(outcome)).toEqual([
      'proctor.yaml: api.itemsPerRequestMax: 20000 → 7',
      'proctor.yaml: api.publicUrl: left out → "http://ci.example"',
      expect.stringMatching(/^proctor.yaml: suites: \["\w+"\] → \["sid","trixie"\]$/),
      'apt-sources.yaml: added inner',
      'reject-list.yaml: added hello */* 1.0-1',
    ]);
    expect(live.server.suites).toEqual(['sid', 'trixie']);
    expect(live.extraAptSources.map(({ name }) => name)).toEqual(['inner']);
    expect(live.rejectList).toHaveProperty(['hello', '*', '*', '1.0-1']);
    expect(changed).toHaveBeenCalledTimes(1);
    expect(live.status).toEqual({ loadedAt: expect.any(Date), problems: [], needsRestart: [] });
    expect(live.status.loadedAt.getTime()).toBeGreaterThanOrEqual(before.getTime());
  });

  it('names what takes a restart and leaves it as it is', async () => {
    await write(
      'proctor.yaml',
      'store: { path: /elsewhere }\napi: { port: 9 }\nscheduler: { leaseTtlMs: 99999 }',
    );
    await write('worker.yaml', 'slots: 9\nrunTimeoutMs: 5\nvariants: { x: [x, --token=secret] }');
    const outcome = await reload();
    expect(texts(outcome)).toEqual([
      'worker.yaml: runTimeoutMs: 28800000 → 5',
      'proctor.yaml: api.port: 9 takes a restart; until then it is 8080',
      'proctor.yaml: store.path: "/elsewhere" takes a restart; until then it is "/home/of/proctor/store"',
      'proctor.yaml: scheduler.leaseTtlMs: 99999 takes a restart; until then it is 60000',
      'worker.yaml: slots: 9 takes a restart; until then it is 2',
      'worker.yaml: variants: another value takes a restart; until then it is another value',
    ]);
    expect(live.server).toMatchObject({ port: 8080 });
    expect(live.store).toEqual({ kind: 'folder', path: '/home/of/proctor/store' });
    expect(live.scheduler.leaseTtlMs).toBe(60_000);
    expect(live.worker).toMatchObject({ slots: 2, runTimeoutMs: 5 });
    expect(live.status.needsRestart).toHaveLength(5);
    await rm(join(folder, 'proctor.yaml'));
    await rm(join(folder, 'worker.yaml'));
    await reload();
    expect(live.status.needsRestart).toEqual([]);
  });

  it('shows keys of nested sections one by one', async () => {
    await write('proctor.yaml', 'scheduler: { retry: { delayMs: 20000 }, sizeClasses: { big: [linux] } }');
    expect(texts(await reload())).toEqual([
      'proctor.yaml: scheduler.retry.delayMs: 30000 → 20000',
      'proctor.yaml: scheduler.sizeClasses.big: left out → ["linux"]',
    ]);
    await write('proctor.yaml', 'scheduler: { fairShare: { weights: { ci: 2 } }, caps: { perSuiteMax: 9 } }');
    expect(texts(await reload())).toEqual([
      'proctor.yaml: scheduler.retry.delayMs: 20000 → 30000',
      'proctor.yaml: scheduler.sizeClasses.big: ["linux"] → left out',
      'proctor.yaml: scheduler.fairShare.weights.ci: left out → 2',
      'proctor.yaml: scheduler.caps.perSuiteMax: left out → 9',
    ]);
    expect(live.scheduler.caps).toEqual({ perSuiteMax: 9 });
    await write('proctor.yaml', 'scheduler: { fairShare: { weights: { ci: 3 } } }');
    expect(texts(await reload())).toEqual([
      'proctor.yaml: scheduler.fairShare.weights.ci: 2 → 3',
      'proctor.yaml: scheduler.caps.perSuiteMax: 9 → left out',
    ]);
  });

  it('counts what it does not name', async () => {
    const names = Array.from({ length: 14 }, (_, index) => `p${index + 10}: { sid: { "*": { "*": "" } } }`);
    await write('reject-list.yaml', names.join('\n'));
    expect(texts(await reload())).toEqual([expect.stringMatching(/ p19 sid\/\* \* and 4 more$/)]);
  });

  it.each([
    ['a YAML mistake', 'proctor.yaml', 'api: [', /proctor.yaml:1: Flow sequence/],
    ['an unknown key', 'proctor.yaml', 'api:\n  prot: 1', /proctor.yaml:2: api.prot: .*should not exist/],
    ['a wrong type', 'proctor.yaml', '\nsuites: sid', /proctor.yaml:2: suites: /],
    ['a wrong value', 'worker.yaml', 'slots: 0', /worker.yaml:1: slots: .*found 0/],
    ['a wrong shape', 'reject-list.yaml', 'hello: { sid: "" }', /reject-list.yaml:1: hello.sid: a mapping/],
    [
      'half a file',
      'reject-list.yaml',
      'hello:\n  sid:\n    amd',
      /reject-list.yaml:2: hello.sid: a mapping/,
    ],
    ['bytes that are no text', 'apt-sources.yaml', '\xff\xfe', /apt-sources.yaml: is not UTF-8/],
  ])('with %s keeps all of the old configuration', async (_what, name, text, problem) => {
    await write('proctor.yaml', 'suites: [sid]');
    await reload();
    const { loadedAt } = live.status;
    const changed = jest.fn();
    live.onChange(changed);
    await write('proctor.yaml', 'suites: [trixie]');
    await writeFile(join(folder, name), Buffer.from(text, 'latin1'));
    expect(await reload()).toEqual({
      kind: 'refused',
      problems: [expect.stringMatching(problem)],
      inUseSince: loadedAt,
    });
    expect(live.server.suites).toEqual(['sid']);
    expect(live.status).toEqual({ loadedAt, problems: [expect.stringMatching(problem)], needsRestart: [] });
    expect(changed).not.toHaveBeenCalled();
  });

  it('survives a folder that is gone and a file that cannot be read', async () => {
    await rename(folder, `${folder}-gone`);
    expect(await reload()).toMatchObject({ kind: 'refused', problems: [`${folder}: is not a folder`] });
    await rename(`${folder}-gone`, folder);
    await mkdir(join(folder, 'proctor.yaml'));
    expect(texts(await reload())).toEqual([expect.stringContaining('proctor.yaml: EISDIR')]);
    await rm(join(folder, 'proctor.yaml'), { recursive: true });
    expect(await reload()).toEqual({ kind: 'taken', changes: [] });
    expect(live.status.problems).toEqual([]);
  });

  it.each([
    ['emptied', () => write('reject-list.yaml', '')],
    ['only comments', () => write('reject-list.yaml', '# nothing\n')],
    ['removed', () => rm(join(folder, 'reject-list.yaml'))],
  ])('takes a file that is %s as one without keys', async (_what, change) => {
    await write('reject-list.yaml', HELLO);
    await reload();
    await change();
    expect(texts(await reload())).toEqual(['reject-list.yaml: removed hello */* 1.0-1']);
    expect(live.rejectList).toEqual({});
  });
});

describe('a folder that is followed', () => {
  it('is read when a file in it changes', async () => {
    await follow({ quietMs: 20 });
    await write('reject-list.yaml', HELLO);
    expect(texts(await reloaded(1))).toEqual(['reject-list.yaml: added hello */* 1.0-1']);
    await write('reject-list.yaml', 'hello: 1');
    expect(await reloaded(2)).toMatchObject({ kind: 'refused' });
    expect(live.rejectList).toHaveProperty('hello');
    await write('reject-list.yaml.new', `${HELLO}\nworld: { sid: { "*": { "*": "" } } }`);
    await rename(join(folder, 'reject-list.yaml.new'), join(folder, 'reject-list.yaml'));
    expect(texts(await reloaded(3))).toEqual(['reject-list.yaml: added world sid/* *']);
  });

  it('is not taken while a file is empty or gone for a moment, as editors leave it', async () => {
    await write('reject-list.yaml', HELLO);
    await follow({ quietMs: 5 });
    const hasty = await LiveConfiguration.load(['rejectList'], { PROCTOR_CONFIG: folder });
    let hastyTook = (): void => undefined;
    const taken = new Promise<void>((resolve) => (hastyTook = resolve));
    const control = new ConfigurationWatcher(hasty, hastyTook, { ...NEVER, quietMs: 5, vanishedQuietMs: 5 });
    await write('reject-list.yaml', '');
    await taken;
    await control.close();
    expect(reloads).toEqual([]);
    await write('reject-list.yaml', `${HELLO}\nworld: { sid: { "*": { "*": "" } } }`);
    expect(texts(await reloaded(1))).toEqual(['reject-list.yaml: added world sid/* *']);
  });

  it.each([
    [
      'another folder takes its place',
      async () => {
        await mkdir(`${folder}-new`);
        await writeFile(join(`${folder}-new`, 'reject-list.yaml'), HELLO);
        await rename(folder, `${folder}-old`);
        await rename(`${folder}-new`, folder);
      },
    ],
    [
      'a file is a link whose target changes',
      async () => {
        await writeFile(join(folder, '../target'), HELLO);
        await symlink('../target', join(folder, 'reject-list.yaml'));
      },
    ],
  ])('is polled: %s', async (_what, change) => {
    await follow({ quietMs: 5, vanishedQuietMs: 5, pollMs: 20 });
    await change();
    await reloaded(1);
    while (!('hello' in live.rejectList)) await reloaded(reloads.length + 1);
    await writeFile(join(folder, '../target'), '');
    await writeFile(join(folder, 'reject-list.yaml'), '{}');
    while ('hello' in live.rejectList) await reloaded(reloads.length + 1);
  });

  it('tells nothing while nothing changes', async () => {
    const read = jest.spyOn(FolderContent, 'read');
    try {
      await follow({ quietMs: 1, pollMs: 1 });
      let reads = read.mock.results;
      while (reads.length < 5) {
        await reads.at(-1)?.value;
        await new Promise(setImmediate);
        reads = read.mock.results;
      }
      await write('notes.txt', 'no file of ours');
      await watcher?.close();
      expect(reloads).toEqual([]);
    } finally {
      read.mockRestore();
    }
  });
});

test('the log is told of every problem and of what changed, and SIGHUP asks for it', async () => {
  await write('proctor.yaml', 'suites: [sid]');
  await load();
  const lines: string[] = [];
  let told = (): void => undefined;
  const line = (level: string) => (message: string) => {
    lines.push(`${level} ${message.replaceAll(folder, 'config')}`);
    told();
  };
  const untilLines = async (count: number) => {
    while (lines.length < count) await new Promise<void>((resolve) => (told = resolve));
    return lines.splice(0);
  };
  const before = process.listeners('SIGHUP');
  watcher = followConfiguration(live, { log: line('log'), warn: line('warn'), error: line('error') });
  try {
    await write('proctor.yaml', 'suits: [sid]\napi: { port: x }');
    process.emit('SIGHUP');
    const refused = await untilLines(3);
    expect(refused[0]).toMatch(/^error config is NOT in use, the configuration read at 20.*Z is; /);
    expect(refused.slice(1)).toEqual([
      'error config/proctor.yaml:1: suits: property suits should not exist',
      expect.stringMatching(/^error config\/proctor.yaml:2: api.port: .*found "x"/),
    ]);
    await write('proctor.yaml', 'suites: [sid, trixie]\napi: { port: 1 }');
    process.emit('SIGHUP');
    expect(await untilLines(3)).toEqual([
      'log config is in use, with these changes:',
      'log proctor.yaml: suites: ["sid"] → ["sid","trixie"]',
      'warn proctor.yaml: api.port: 1 takes a restart; until then it is 8080',
    ]);
  } finally {
    for (const listener of process.listeners('SIGHUP')) {
      if (!before.includes(listener)) process.removeListener('SIGHUP', listener);
    }
  }
});
