import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { KEYS as APT_SOURCE_KEYS } from './apt-sources-file';
import { keysAtStart } from './at-start';
import { documentedKeys } from './json-schema';
import { WebhooksSection } from './webhooks-section';
import { EventsSection } from './events-section';
import { LoginSection, PasswordPolicySection, ProviderSection } from './login-section';
import { MailSection } from './mail-section';
import { MetricsSection } from './metrics-section';
import { PackageLinkSection } from './package-link-section';
import { keysOf } from './rules';
import { RetentionSection } from './retention-section';
import {
  AgeingSection,
  BlameSection,
  CapsSection,
  FairShareSection,
  RequestsSection,
  RetrySection,
  SchedulerSection,
  WindowSection,
} from './scheduler-section';
import { ApiSection, ServerFile } from './server-file';
import { StoreSection } from './store-section';
import { SupersedeSection } from './supersede-section';
import { WorkerFile } from './worker-file';

const project = join(__dirname, '../../..');
const page = readFileSync(join(project, 'docs/configuration.md'), 'utf8');

const table = (file: string) => documentedKeys(page, file);

const SECTIONS = [
  { file: 'proctor.yaml', prefix: '', shape: ServerFile },
  { file: 'proctor.yaml', prefix: 'api.', shape: ApiSection },
  { file: 'proctor.yaml', prefix: 'api.events.', shape: EventsSection },
  { file: 'proctor.yaml', prefix: 'api.metrics.', shape: MetricsSection },
  { file: 'proctor.yaml', prefix: 'api.webhooks.', shape: WebhooksSection },
  { file: 'proctor.yaml', prefix: 'api.mail.', shape: MailSection },
  { file: 'proctor.yaml', prefix: 'api.login.', shape: LoginSection },
  { file: 'proctor.yaml', prefix: 'api.login.passwordPolicy.', shape: PasswordPolicySection },
  { file: 'proctor.yaml', prefix: 'api.login.providers.', shape: ProviderSection },
  { file: 'proctor.yaml', prefix: 'api.packageLinks.', shape: PackageLinkSection },
  { file: 'proctor.yaml', prefix: 'api.supersede.', shape: SupersedeSection },
  { file: 'proctor.yaml', prefix: 'store.', shape: StoreSection },
  { file: 'proctor.yaml', prefix: 'scheduler.', shape: SchedulerSection },
  { file: 'proctor.yaml', prefix: 'scheduler.retry.', shape: RetrySection },
  { file: 'proctor.yaml', prefix: 'scheduler.fairShare.', shape: FairShareSection },
  { file: 'proctor.yaml', prefix: 'scheduler.ageing.', shape: AgeingSection },
  { file: 'proctor.yaml', prefix: 'scheduler.caps.', shape: CapsSection },
  { file: 'proctor.yaml', prefix: 'scheduler.window.', shape: WindowSection },
  { file: 'proctor.yaml', prefix: 'scheduler.blame.', shape: BlameSection },
  { file: 'proctor.yaml', prefix: 'scheduler.requests.', shape: RequestsSection },
  { file: 'proctor.yaml', prefix: 'retention.', shape: RetentionSection },
  { file: 'proctor.yaml', prefix: 'scheduler.metrics.', shape: MetricsSection },
  { file: 'worker.yaml', prefix: '', shape: WorkerFile },
  { file: 'worker.yaml', prefix: 'metrics.', shape: MetricsSection },
];

const isSection = (value: unknown): boolean => SECTIONS.some(({ shape }) => value instanceof shape);

const KEYS = SECTIONS.flatMap(({ file, prefix, shape }) => {
  const defaults = new Map(Object.entries(new shape()));
  return [...keysOf(shape)]
    .filter((key) => !isSection(defaults.get(key)))
    .map((key) => ({
      file,
      name: `${prefix}${key}`,
      key,
      standard: defaults.get(key) as unknown,
      isAtStart: keysAtStart(shape).has(key),
    }));
});

it.each(KEYS)('$file: $name is documented as it is', ({ file, name, key, standard, isAtStart }) => {
  const row = table(file).get(name);
  expect(row).toBeDefined();
  expect(row?.meaning).not.toBe('');
  expect(row?.change).toBe(isAtStart ? 'restart' : 'at once');
  if (standard === undefined) expect(row?.default).not.toBe('');
  else expect(parse(row?.default.replace(/^`(.*)`$/, '$1') ?? '')).toEqual(standard);
  expect(readFileSync(join(project, 'config', file), 'utf8')).toMatch(
    new RegExp(`^ *(# *)?(- )?${key}:`, 'm'),
  );
});

it.each(['proctor.yaml', 'worker.yaml'])('no key is documented that %s does not have', (file) => {
  const names = KEYS.filter((key) => key.file === file).map(({ name }) => name);
  expect([...table(file).keys()].sort()).toEqual(names.sort());
});

it('every key of apt-sources.yaml is documented', () => {
  expect([...table('apt-sources.yaml').keys()]).toEqual(APT_SOURCE_KEYS);
});
