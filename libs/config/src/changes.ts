import { keysAtStart } from './at-start';
import type {
  Configuration,
  ExtraAptSource,
  RejectList,
  ServerConfiguration,
  WorkerConfiguration,
} from './configuration';
import { MetricsSection } from './metrics-section';
import { keysOf } from './rules';
import { SchedulerSection } from './scheduler-section';
import { ApiSection, ServerFile } from './server-file';
import { StoreSection } from './store-section';
import { WorkerFile } from './worker-file';

/** The parts of a configuration that come from its files. */
export type Part = Exclude<keyof Configuration, 'home'>;

/** A key whose value differs between two configurations. */
export interface Change {
  /** One line: the file, the key and, unless it may hold a password, its values. */
  text: string;
  /** The value in use stays until the process is started again. */
  needsRestart: boolean;
}

/** Entries of one kind that are named; the others are counted. */
const ENTRIES_NAMED_MAX = 10;
const VALUE_LENGTH_MAX = 80;

const API_KEYS = keysOf(ApiSection);
const SERVER_AT_START = new Set([...keysAtStart(ServerFile), ...keysAtStart(ApiSection)]);
const STORE_AT_START = keysAtStart(StoreSection);
const SCHEDULER_AT_START = keysAtStart(SchedulerSection);
const WORKER_AT_START = keysAtStart(WorkerFile);
const METRICS_AT_START = [...keysAtStart(MetricsSection)].map((key) => `metrics.${key}`);

/** The names of values, with `metrics` key by key. */
function namesAtStart(keys: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...keys, ...METRICS_AT_START]);
}

/** The differences in the given parts, in the order of the files. */
export function changesBetween(
  before: Configuration,
  after: Configuration,
  parts: readonly Part[] = [
    'server',
    'store',
    'scheduler',
    'retention',
    'worker',
    'extraAptSources',
    'rejectList',
  ],
): Change[] {
  return parts.flatMap((part) => {
    switch (part) {
      case 'server':
        return valueChanges(
          'proctor.yaml',
          serverValues(before.server),
          serverValues(after.server),
          namesAtStart(SERVER_AT_START),
          (key) => (API_KEYS.has(key.split('.')[0]!) ? `api.${key}` : key),
        );
      case 'store':
        return valueChanges(
          'proctor.yaml',
          before.store,
          after.store,
          STORE_AT_START,
          (key) => `store.${key}`,
        );
      case 'scheduler':
        return [
          ...sectionChanges('scheduler', before.scheduler, after.scheduler, namesAtStart(SCHEDULER_AT_START)),
          ...orderChanges(
            'proctor.yaml: scheduler.sizeClasses',
            before.scheduler.sizeClasses,
            after.scheduler.sizeClasses,
          ),
        ];
      case 'retention':
        return sectionChanges('retention', before.retention, after.retention, new Set());
      case 'worker':
        return valueChanges(
          'worker.yaml',
          workerValues(before.worker),
          workerValues(after.worker),
          namesAtStart(WORKER_AT_START),
          (key) => key,
        );
      case 'extraAptSources':
        return entryChanges(
          'apt-sources.yaml',
          byName(before.extraAptSources),
          byName(after.extraAptSources),
        );
      case 'rejectList':
        return entryChanges('reject-list.yaml', entriesOf(before.rejectList), entriesOf(after.rejectList));
    }
  });
}

/** The new configuration with the values of the old one where only a restart may change them. */
export function withoutStartChanges(started: Configuration, next: Configuration): Configuration {
  return {
    ...next,
    home: started.home,
    server: { ...next.server, ...pick(started.server, SERVER_AT_START) },
    // Every key of it needs a restart.
    store: started.store,
    scheduler: { ...next.scheduler, ...pick(started.scheduler, SCHEDULER_AT_START) },
    worker: { ...next.worker, ...pick(started.worker, WORKER_AT_START) },
  };
}

function pick<T extends object>(values: T, keys: ReadonlySet<string>): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.has(key))) as Partial<T>;
}

/** The changes of a section of proctor.yaml, key by key. */
function sectionChanges(name: string, before: object, after: object, atStart: ReadonlySet<string>): Change[] {
  const nameOf = (key: string): string => `${name}.${key}`;
  return valueChanges('proctor.yaml', flattened(before), flattened(after), atStart, nameOf);
}

function valueChanges(
  file: string,
  before: object,
  after: object,
  atStart: ReadonlySet<string>,
  nameOf: (key: string) => string,
): Change[] {
  const [old, fresh] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const keys = new Set([...old.keys(), ...fresh.keys()]);
  return [...keys].flatMap((key): Change[] => {
    const [was, is] = [old.get(key) as unknown, fresh.get(key) as unknown];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    const name = `${file}: ${nameOf(key)}`;
    if (atStart.has(key)) {
      const text = `${name}: ${valueText(is)} needs a restart; until then it is ${valueText(was)}`;
      return [{ text, needsRestart: true }];
    }
    return [{ text: `${name}: ${valueText(was)} → ${valueText(is)}`, needsRestart: false }];
  });
}

/** The change of order in a mapping whose first matching entry counts: its entries may be the same. */
function orderChanges(name: string, before: object, after: object): Change[] {
  const [was, is] = [Object.keys(before), Object.keys(after)];
  const isReordered = was.toSorted().join() === is.toSorted().join() && was.join() !== is.join();
  return isReordered ? [{ text: `${name}: in the order ${is.join(', ')} now`, needsRestart: false }] : [];
}

function entryChanges(file: string, before: Map<string, string>, after: Map<string, string>): Change[] {
  const added = [...after.keys()].filter((key) => !before.has(key));
  const removed = [...before.keys()].filter((key) => !after.has(key));
  const changes = [...after].filter(([key, value]) => before.has(key) && before.get(key) !== value);
  return [
    ...listChange(`${file}: added`, added),
    ...listChange(`${file}: removed`, removed),
    ...listChange(
      `${file}: changed`,
      changes.map(([key]) => key),
    ),
  ];
}

function listChange(what: string, entries: string[]): Change[] {
  if (entries.length === 0) return [];
  const others = entries.length - ENTRIES_NAMED_MAX;
  const more = others > 0 ? ` and ${others} more` : '';
  return [{ text: `${what} ${entries.slice(0, ENTRIES_NAMED_MAX).join(', ')}${more}`, needsRestart: false }];
}

function byName(sources: ExtraAptSource[]): Map<string, string> {
  return new Map(sources.map((source) => [source.name, JSON.stringify(source)]));
}

/** `package suite/architecture version` → "" */
function entriesOf(list: RejectList): Map<string, string> {
  const entries = new Map<string, string>();
  for (const [name, suites] of Object.entries(list)) {
    for (const [suite, architectures] of Object.entries(suites)) {
      for (const [arch, versions] of Object.entries(architectures)) {
        for (const version of Object.keys(versions)) entries.set(`${name} ${suite}/${arch} ${version}`, '');
      }
    }
  }
  return entries;
}

/** The keys of sections one by one. */
function serverValues({ events, login, metrics, webhooks, ...values }: ServerConfiguration): object {
  return { ...values, ...flattened({ events, login, metrics, webhooks }) };
}

/** The keys of `metrics` one by one. */
function workerValues({ metrics, ...values }: WorkerConfiguration): object {
  return { ...values, ...flattened({ metrics }) };
}

/** The values by the paths of their keys, as `retry.delayMs`; only for sections without passwords. */
function flattened(section: object, before = ''): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [key, value] of Object.entries(section) as [string, unknown][]) {
    const name = `${before}${key}`;
    const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
    const within = isSection ? flattened(value, `${name}.`) : { [name]: value };
    for (const [path, each] of Object.entries(within)) values.set(path, each);
  }
  return Object.fromEntries(values);
}

/** Mappings are commands and apt lines, which may hold a password; in a list they would also be too long. */
function valueText(value: unknown): string {
  if (value === undefined) return 'left out';
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (values.some((each) => typeof each === 'object')) return 'another value';
  const text = JSON.stringify(value);
  return text.length <= VALUE_LENGTH_MAX ? text : `${text.slice(0, VALUE_LENGTH_MAX)}…`;
}
