import { ConfigurationFolder } from '@test/support/configuration-folder';
import { FolderContent } from './folder';
import { LiveConfiguration } from './live-configuration';
import { loadSettings, type Setting } from './settings';

const folder = new ConfigurationFolder();
const PARTS = ['server', 'store', 'scheduler', 'worker', 'extraAptSources', 'rejectList'] as const;

const settingOf = (live: LiveConfiguration, key: string): Setting | undefined =>
  live.settings.settings.find((setting) => setting.key === key);

it('each value in use is listed with its file and line, or as a default, or as of the environment', async () => {
  await folder.write('proctor.yaml', 'suites: [sid]\napi:\n  port: 9\n  waitSecondsMax: 7');
  await folder.write('worker.yaml', 'timeouts:\n  "linux-*": 5000');
  const live = await LiveConfiguration.load(PARTS, { ...folder.env, PROCTOR_PORT: '8081' });
  const file = 'proctor.yaml';
  expect(settingOf(live, 'suites')).toEqual({
    file,
    key: 'suites',
    value: '["sid"]',
    origin: 'file',
    line: 1,
  });
  expect(settingOf(live, 'api.waitSecondsMax')).toMatchObject({ value: '7', origin: 'file', line: 4 });
  expect(settingOf(live, 'scheduler.retry.attemptsMax')).toMatchObject({
    value: '3',
    origin: 'default',
    line: null,
  });
  expect(settingOf(live, 'PROCTOR_PORT')).toMatchObject({ value: '8081', origin: 'environment', line: null });
  expect(settingOf(live, 'api.port')).toBeUndefined();
  expect(settingOf(live, 'timeouts.linux-*')).toMatchObject({ file: 'worker.yaml', value: '5000', line: 2 });
  expect(live.settings).toMatchObject({ folder: folder.path, timeouts: { 'linux-*': 5000 } });
});

it('a configuration that is refused leaves the values, and the lines, of the one in use', async () => {
  await folder.write('proctor.yaml', 'suites: [sid]');
  const live = await LiveConfiguration.load(PARTS, folder.env);
  await folder.write('proctor.yaml', '\n\nsuites: 5');
  live.apply(await FolderContent.read(folder.path));
  expect(live.status.problems).toHaveLength(1);
  expect(settingOf(live, 'suites')).toMatchObject({ value: '["sid"]', line: 1 });
});

it('no listed value has a secret', async () => {
  await folder.write(
    'worker.yaml',
    [
      'environment: { http_proxy: "http://me:hidden@proxy.example", OTHER: hidden }',
      'suiteSources: { sid: ["deb https://me:hidden@mirror.example sid main"] }',
      'backendCommands: { ssh: [ssh, --password, hidden, --token=hidden] }',
    ].join('\n'),
  );
  await folder.write(
    'apt-sources.yaml',
    'inner: { lines: ["deb https://me:hidden@mirror.example sid main"] }',
  );
  const live = await LiveConfiguration.load(PARTS, folder.env);
  expect(JSON.stringify(live.settings)).not.toContain('hidden');
  expect(settingOf(live, 'environment.OTHER')).toMatchObject({ value: '…', origin: 'file' });
  expect(settingOf(live, 'inner')!.value).toContain('https://…@mirror.example');
});

it('the services that the environment names are listed beside the values of the files, without their secrets', async () => {
  await folder.write('proctor.yaml', 'suites: [sid]');
  const settings = await loadSettings({
    ...folder.env,
    PROCTOR_DATABASE_URL: 'postgres://proctor:hidden/@too@db.example/proctor',
    PROCTOR_S3_SECRET_ACCESS_KEY: 'hidden',
    PROCTOR_NATS_CREDENTIALS: '/etc/proctor/api.json',
  });
  const setting = (key: string) => settings.find((setting) => setting.key === key);
  expect(setting('PROCTOR_DATABASE_URL')).toMatchObject({
    value: '"postgres://…@db.example/proctor"',
    origin: 'environment',
  });
  expect(setting('PROCTOR_NATS_CREDENTIALS')?.value).toBe('"/etc/proctor/api.json"');
  expect(JSON.stringify(settings)).not.toContain('hidden');
  expect(setting('suites')).toMatchObject({ file: 'proctor.yaml', line: 1, origin: 'file' });
});
