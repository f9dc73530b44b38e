import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationFolder, TEST_HOME } from '@test/support/configuration-folder';
import { FolderContent } from './folder';
import { LiveConfiguration, type Reload } from './live-configuration';

const HELLO = 'hello: { "*": { "*": { 1.0-1: "" } } }';
const STORE = join(TEST_HOME, 'store');

const folder = new ConfigurationFolder();
let live: LiveConfiguration;

beforeEach(async () => {
  live = await LiveConfiguration.load(
    ['server', 'store', 'scheduler', 'worker', 'extraAptSources', 'rejectList'],
    folder.env,
  );
});

const reload = async (): Promise<Reload> => live.apply(await FolderContent.read(folder.path));

const texts = (reload: Reload) =>
  reload.kind === 'applied' ? reload.changes.map(({ text }) => text) : reload.problems;

it('a reload puts everything in use that can be, and says what changed', async () => {
  const onChange = jest.fn();
  live.onChange(onChange);
  const before = live.status.loadedAt;
  await folder.write(
    'proctor.yaml',
    'suites: [sid, trixie]\napi: { itemsPerRequestMax: 7, publicUrl: http://ci.example }',
  );
  await folder.write('reject-list.yaml', HELLO);
  await folder.write(
    'apt-sources.yaml',
    'inner: { lines: ["deb https://me:secret@mirror.example sid main"] }',
  );
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
  expect(onChange).toHaveBeenCalledTimes(1);
  expect(live.status).toEqual({ loadedAt: expect.any(Date), problems: [], needsRestart: [] });
  expect(live.status.loadedAt.getTime()).toBeGreaterThanOrEqual(before.getTime());
});

it('a reload names what needs a restart and leaves it as it is', async () => {
  await folder.write(
    'proctor.yaml',
    'store: { path: /elsewhere }\napi: { port: 9 }\nscheduler: { leaseTtlMs: 99999 }',
  );
  await folder.write(
    'worker.yaml',
    'slots: 9\nrunTimeoutMs: 5\nvariants: { x: [x, --token=secret] }\nmetrics: { port: 9100 }',
  );
  const outcome = await reload();
  expect(texts(outcome)).toEqual([
    'worker.yaml: runTimeoutMs: 28800000 → 5',
    'proctor.yaml: api.port: 9 needs a restart; until then it is 8080',
    `proctor.yaml: store.path: "/elsewhere" needs a restart; until then it is "${STORE}"`,
    'proctor.yaml: scheduler.leaseTtlMs: 99999 needs a restart; until then it is 60000',
    'worker.yaml: slots: 9 needs a restart; until then it is 2',
    'worker.yaml: variants: another value needs a restart; until then it is another value',
    'worker.yaml: metrics.port: 9100 needs a restart; until then it is 0',
  ]);
  expect(live.server).toMatchObject({ port: 8080 });
  expect(live.store).toEqual({ kind: 'folder', path: STORE });
  expect(live.scheduler.leaseTtlMs).toBe(60_000);
  expect(live.worker).toMatchObject({ slots: 2, runTimeoutMs: 5, metrics: { port: 0 } });
  expect(live.status.needsRestart).toHaveLength(6);
  await rm(join(folder.path, 'proctor.yaml'));
  await rm(join(folder.path, 'worker.yaml'));
  await reload();
  expect(live.status.needsRestart).toEqual([]);
});

it('a reload shows keys of nested sections one by one', async () => {
  await folder.write(
    'proctor.yaml',
    'scheduler: { retry: { delayMs: 20000 }, sizeClasses: { big: [linux] } }',
  );
  expect(texts(await reload())).toEqual([
    'proctor.yaml: scheduler.retry.delayMs: 30000 → 20000',
    'proctor.yaml: scheduler.sizeClasses.big: left out → ["linux"]',
  ]);
  await folder.write(
    'proctor.yaml',
    'scheduler: { fairShare: { weights: { ci: 2 } }, caps: { perSuiteMax: 9 } }',
  );
  expect(texts(await reload())).toEqual([
    'proctor.yaml: scheduler.retry.delayMs: 20000 → 30000',
    'proctor.yaml: scheduler.sizeClasses.big: ["linux"] → left out',
    'proctor.yaml: scheduler.fairShare.weights.ci: left out → 2',
    'proctor.yaml: scheduler.caps.perSuiteMax: left out → 9',
  ]);
  expect(live.scheduler.caps).toEqual({ perSuiteMax: 9 });
  await folder.write('proctor.yaml', 'scheduler: { fairShare: { weights: { ci: 3 } } }');
  expect(texts(await reload())).toEqual([
    'proctor.yaml: scheduler.fairShare.weights.ci: 2 → 3',
    'proctor.yaml: scheduler.caps.perSuiteMax: 9 → left out',
  ]);
});

it('a reload reports another order of size classes: the first that names a package counts', async () => {
  const classes = ['big: [linux]', 'huge: [linux, gcc]'];
  const ordered = (names: string[]) =>
    folder.write('proctor.yaml', `scheduler: { sizeClasses: { ${names.join(', ')} } }`);
  await ordered(classes);
  await reload();
  const onChange = jest.fn();
  live.onChange(onChange);
  await ordered(classes.toReversed());
  expect(texts(await reload())).toEqual(['proctor.yaml: scheduler.sizeClasses: in the order huge, big now']);
  expect(onChange).toHaveBeenCalledTimes(1);
});

it('a reload counts the changes that it does not name', async () => {
  const names = Array.from({ length: 14 }, (_, index) => `p${index + 10}: { sid: { "*": { "*": "" } } }`);
  await folder.write('reject-list.yaml', names.join('\n'));
  expect(texts(await reload())).toEqual([expect.stringMatching(/ p19 sid\/\* \* and 4 more$/)]);
});

it.each([
  ['a YAML mistake', 'proctor.yaml', 'api: [', /proctor.yaml:1: Flow sequence/],
  ['an unknown key', 'proctor.yaml', 'api:\n  prot: 1', /proctor.yaml:2: api.prot: .*should not exist/],
  ['a wrong type', 'proctor.yaml', '\nsuites: sid', /proctor.yaml:2: suites: /],
  ['a wrong value', 'worker.yaml', 'slots: 0', /worker.yaml:1: slots: .*found 0/],
  ['a wrong shape', 'reject-list.yaml', 'hello: { sid: "" }', /reject-list.yaml:1: hello.sid: a mapping/],
  ['half a file', 'reject-list.yaml', 'hello:\n  sid:\n    amd', /reject-list.yaml:2: hello.sid: a mapping/],
  ['bytes that are no text', 'apt-sources.yaml', '\xff\xfe', /apt-sources.yaml: is not UTF-8/],
])('a reload with %s keeps all of the old configuration', async (_what, name, text, problem) => {
  await folder.write('proctor.yaml', 'suites: [sid]');
  await reload();
  const { loadedAt } = live.status;
  const onChange = jest.fn();
  live.onChange(onChange);
  await folder.write('proctor.yaml', 'suites: [trixie]');
  await folder.write(name, Buffer.from(text, 'latin1'));
  expect(await reload()).toEqual({
    kind: 'refused',
    problems: [expect.stringMatching(problem)],
    inUseSince: loadedAt,
  });
  expect(live.server.suites).toEqual(['sid']);
  expect(live.status).toEqual({ loadedAt, problems: [expect.stringMatching(problem)], needsRestart: [] });
  expect(onChange).not.toHaveBeenCalled();
});

it('a reload is refused while the folder is gone or a file cannot be read', async () => {
  await rename(folder.path, `${folder.path}-gone`);
  expect(await reload()).toMatchObject({ kind: 'refused', problems: [`${folder.path}: is not a folder`] });
  await rename(`${folder.path}-gone`, folder.path);
  await mkdir(join(folder.path, 'proctor.yaml'));
  expect(texts(await reload())).toEqual([expect.stringContaining('proctor.yaml: EISDIR')]);
  await rm(join(folder.path, 'proctor.yaml'), { recursive: true });
  expect(await reload()).toEqual({ kind: 'applied', changes: [] });
  expect(live.status.problems).toEqual([]);
});

it.each([
  ['emptied', () => folder.write('reject-list.yaml', '')],
  ['only comments', () => folder.write('reject-list.yaml', '# nothing\n')],
  ['removed', () => rm(join(folder.path, 'reject-list.yaml'))],
])('a file that is %s is read as one without keys', async (_what, change) => {
  await folder.write('reject-list.yaml', HELLO);
  await reload();
  await change();
  expect(texts(await reload())).toEqual(['reject-list.yaml: removed hello */* 1.0-1']);
  expect(live.rejectList).toEqual({});
});
