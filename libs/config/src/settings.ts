import type { Configuration } from './configuration';
import { FolderContent, type FileName } from './folder';
import { configurationFolder, interpret } from './load';
import { YamlFile, type YamlPath } from './yaml-file';

/** A value in use, and where it comes from. */
export interface Setting {
  /** Name of a file of the folder, or `environment`. */
  file: FileName | 'environment';
  /** Path of its key, as `api.port`; name of a variable. */
  key: string;
  /** The value as JSON, without secrets. */
  value: string;
  /** `file`: the file has it; `default`: no file and no variable has it. */
  origin: 'file' | 'environment' | 'default';
  /** Its line in the file; null when the file does not have it. */
  line: number | null;
}

/** All values in use, for people; without passwords. */
export interface Settings {
  /** Path of the folder. */
  folder: string;
  settings: Setting[];
  /** Class → packages, as `scheduler.sizeClasses` has them. */
  sizeClasses: Record<string, string[]>;
  /** Package → limit of its attempts on the worker of this machine, milliseconds. */
  timeouts: Record<string, number>;
  runTimeoutMs: number;
}

/** Variables of the environment that override a key, by key. */
const OVERRIDES: Record<string, string> = {
  'api.host': 'PROCTOR_HOST',
  'api.port': 'PROCTOR_PORT',
  'api.metrics.port': 'PROCTOR_API_METRICS_PORT',
  'scheduler.metrics.port': 'PROCTOR_SCHEDULER_METRICS_PORT',
};

const SERVER_TOP = ['suites', 'architectures', 'backends', 'defaultBackend', 'variants'];

/**
 * @param content the files of the configuration
 * @param env the environment, with its overrides
 */
export function settingsOf(
  configuration: Configuration,
  content: FolderContent,
  env: NodeJS.ProcessEnv,
): Settings {
  const { server, store, scheduler, retention, worker, rejectList, extraAptSources, home } = configuration;
  const serverValues = Object.entries(server).map(([key, value]): [YamlPath, unknown] => [
    SERVER_TOP.includes(key) ? [key] : ['api', key],
    value,
  ]);
  const files: [FileName, [YamlPath, unknown][]][] = [
    [
      'proctor.yaml',
      [
        ...serverValues.flatMap(leaves),
        ...leaves([['store'], store]),
        ...leaves([['scheduler'], scheduler]),
        ...leaves([['retention'], retention]),
      ],
    ],
    ['worker.yaml', leaves([[], worker])],
    ['apt-sources.yaml', extraAptSources.map(({ name, ...source }) => [[name], source])],
  ];
  const fileSettings = files.flatMap(([file, values]) => {
    const yaml = YamlFile.parse(content.pathOf(file), content.textOf(file));
    return values.map(([path, value]) => settingOf(file, yaml, path, value, env));
  });
  const rejected = Object.keys(rejectList).length;
  return {
    folder: content.folder,
    settings: [
      variable('PROCTOR_CONFIG', content.folder, env),
      variable('PROCTOR_HOME', home, env),
      ...fileSettings,
      {
        file: 'reject-list.yaml',
        key: '',
        value: rejected === 1 ? 'one package' : `${rejected} packages`,
        origin: rejected > 0 ? 'file' : 'default',
        line: null,
      },
    ],
    sizeClasses: scheduler.sizeClasses,
    timeouts: worker.timeouts,
    runTimeoutMs: worker.runTimeoutMs,
  };
}

/** Variables that name the services of a process, with the part that a reader may see. */
const CONNECTIONS: Record<string, (value: string) => string> = {
  // A password may hold any character.
  PROCTOR_DATABASE_URL: (url) =>
    JSON.parse(masked(url.replace(/^((?:(?!\/\/).)*)\/\/.*@/s, '$1//…@'))) as string,
  PROCTOR_NATS_CREDENTIALS: String,
  PROCTOR_NATS_USERS: String,
  PROCTOR_NATS_ACCOUNTS: String,
  PROCTOR_S3_ACCESS_KEY_ID: String,
  PROCTOR_S3_SECRET_ACCESS_KEY: () => '…',
  PROCTOR_LOG: String,
};

/**
 * The values that a process would use if it started now: those of a folder, and the services that the environment
 * names.
 * @throws ConfigurationError with all problems of the folder
 */
export async function loadSettings(env: NodeJS.ProcessEnv): Promise<Setting[]> {
  const content = await FolderContent.read(configurationFolder(env));
  const { settings } = settingsOf(interpret(content, env), content, env);
  const services = Object.entries(CONNECTIONS).flatMap(([key, format]) => {
    const value = env[key];
    return value === undefined ? [] : [variable(key, format(value), env)];
  });
  const isVariable = ({ file }: Setting): boolean => file === 'environment';
  return [...settings.filter(isVariable), ...services, ...settings.filter((setting) => !isVariable(setting))];
}

function settingOf(
  file: FileName,
  yaml: YamlFile,
  path: YamlPath,
  value: unknown,
  env: NodeJS.ProcessEnv,
): Setting {
  const key = path.join('.');
  const override = OVERRIDES[key];
  const isOverridden = file === 'proctor.yaml' && override !== undefined && env[override] !== undefined;
  const line = isOverridden ? null : yaml.lineOf(path);
  const text = file === 'worker.yaml' && path[0] === 'environment' && path.length > 1 ? '…' : masked(value);
  if (isOverridden) return { file: 'environment', key: override, value: text, origin: 'environment', line };
  return { file, key, value: text, origin: line === null ? 'default' : 'file', line };
}

function variable(key: string, value: string, env: NodeJS.ProcessEnv): Setting {
  const origin = env[key] === undefined ? 'default' : 'environment';
  return { file: 'environment', key, value: JSON.stringify(value), origin, line: null };
}

/** All values inside a value, with their paths. An empty mapping counts as a value. */
function leaves([path, value]: [YamlPath, unknown]): [YamlPath, unknown][] {
  if (value === undefined) return [];
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isMapping ? Object.entries(value) : [];
  if (entries.length === 0) return [[path, value]];
  return entries.flatMap(([key, inner]) => leaves([[...path, key], inner]));
}

/** Matches user and password of an address, and the value after a word for a secret. */
const SECRETS: [RegExp, string][] = [
  [/\/\/[^/@\s"]+@/g, '//…@'],
  [/((?:password|passwd|passphrase|secret|token)(?:\s*(?:[=:]|",")\s*|\s+))[^"\s]+/gi, '$1…'],
];

function masked(value: unknown): string {
  return SECRETS.reduce((text, [secret, mask]) => text.replace(secret, mask), JSON.stringify(value));
}
