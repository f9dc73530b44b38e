import { isAbsolute, join, resolve } from 'node:path';
import { REQUEST_BYTES_MAX } from '@proctor/contracts';
import type { StoreSettings } from '@proctor/store';
import { readAptSources } from './apt-sources-file';
import type { Configuration, ServerConfiguration, WorkerConfiguration } from './configuration';
import { linksFor } from './debian';
import { FolderContent, type FileName } from './folder';
import { hostArchitecture, hostRelease, hostWorkerName } from './host';
import type { LoginSection } from './login-section';
import type { MailSection } from './mail-section';
import { normalize } from './public-url';
import { readRejectList } from './reject-list-file';
import { HOST } from './rules';
import type { SchedulerSection } from './scheduler-section';
import { ServerFile } from './server-file';
import type { StoreSection } from './store-section';
import { WorkerFile } from './worker-file';
import { ConfigurationError, YamlFile, type YamlSchema } from './yaml-file';

/**
 * Reads the configuration folder (`PROCTOR_CONFIG`, default `config`) and the environment's overrides
 * (`PROCTOR_HOME`, `PROCTOR_HOST`, `PROCTOR_PORT`, `PROCTOR_API_METRICS_PORT`, `PROCTOR_SCHEDULER_METRICS_PORT`).
 * @throws ConfigurationError listing every problem with its file, line and key
 */
export async function loadConfiguration(env: NodeJS.ProcessEnv = process.env): Promise<Configuration> {
  return interpret(await FolderContent.read(configurationFolder(env)), env);
}

export function configurationFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env['PROCTOR_CONFIG'] ?? 'config');
}

/** @throws ConfigurationError listing every problem of every file */
export function interpret(content: FolderContent, env: NodeJS.ProcessEnv): Configuration {
  const home = resolve(env['PROCTOR_HOME'] ?? '.proctor');
  const problems = new Set<string>();
  const collect = <T>(name: FileName, read: (yaml: YamlFile) => T, schema?: YamlSchema): T | undefined => {
    try {
      return read(YamlFile.parse(content.pathOf(name), content.textOf(name), schema));
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      error.problems.forEach((problem) => problems.add(problem));
      return undefined;
    }
  };
  const server = collect('proctor.yaml', (yaml) => {
    const file = yaml.as(ServerFile);
    const { retention } = file;
    return {
      server: serverConfiguration(file, yaml, env, home),
      scheduler: schedulerConfiguration(file, env),
      retention,
    };
  });
  const store = collect('proctor.yaml', (yaml) => storeConfiguration(yaml.as(ServerFile).store, yaml, home));
  const worker = collect('worker.yaml', (yaml) =>
    workerConfiguration(yaml.as(WorkerFile), home, content.folder),
  );
  const perRunMax = server?.server.extraAptSourcesMax ?? 0;
  const extraAptSources = collect('apt-sources.yaml', (yaml) => readAptSources(yaml, perRunMax));
  const rejectList = collect('reject-list.yaml', readRejectList, 'failsafe');
  if (!server || !store || !worker || !extraAptSources || !rejectList)
    throw new ConfigurationError([...problems]);
  return { home, ...server, store, worker, extraAptSources, rejectList };
}

function serverConfiguration(
  file: ServerFile,
  yaml: YamlFile,
  env: NodeJS.ProcessEnv,
  home: string,
): ServerConfiguration {
  const defaultBackend = file.defaultBackend ?? file.backends[0] ?? '';
  const problems = serverProblems(file, yaml, defaultBackend);
  if (problems.length > 0) throw new ConfigurationError(problems);
  const suites = withHost(file.suites, release);
  return {
    ...file.api,
    ...(file.api.publicUrl !== undefined && { publicUrl: normalize(file.api.publicUrl) }),
    packageLinks: file.api.packageLinks ?? linksFor(suites),
    login: loginConfiguration(file.api.login, home),
    ...(file.api.mail && { mail: mailConfiguration(file.api.mail, home) }),
    host: env['PROCTOR_HOST'] ?? file.api.host,
    port: portOf('PROCTOR_PORT', env, file.api.port),
    metrics: {
      ...file.api.metrics,
      port: portOf('PROCTOR_API_METRICS_PORT', env, file.api.metrics.port),
    },
    suites,
    architectures: withHost(file.architectures, hostArchitecture),
    backends: file.backends,
    defaultBackend,
    variants: file.variants,
  };
}

/** What settings of the file contradict each other, with the line of each. */
function serverProblems(file: ServerFile, yaml: YamlFile, defaultBackend: string): string[] {
  const problems: string[] = [];
  if (!file.backends.includes(defaultBackend)) {
    problems.push(yaml.problem(['defaultBackend'], `${defaultBackend} is not among the backends`));
  }
  if (file.scheduler.leaseRenewMs * 2 > file.scheduler.leaseTtlMs) {
    const text = 'must be at most half of leaseTtlMs, so that one lost renewal costs no lease';
    problems.push(yaml.problem(['scheduler', 'leaseRenewMs'], text));
  }
  const { retry, blame, requests } = file.scheduler;
  if (retry.delayMaxMs < retry.delayMs) {
    problems.push(yaml.problem(['scheduler', 'retry', 'delayMaxMs'], 'must be at least delayMs'));
  }
  const longest = Math.max(...Object.values(REQUEST_BYTES_MAX));
  if (requests.bytesPerSecondMax < longest) {
    const text = `must be at least ${longest}, the longest request`;
    problems.push(yaml.problem(['scheduler', 'requests', 'bytesPerSecondMax'], text));
  }
  if (requests.shunMaxMs < requests.shunMinMs) {
    problems.push(yaml.problem(['scheduler', 'requests', 'shunMaxMs'], 'must be at least shunMinMs'));
  }
  if (blame.slowedMaxMs < blame.slowedMs) {
    problems.push(yaml.problem(['scheduler', 'blame', 'slowedMaxMs'], 'must be at least slowedMs'));
  }
  if (blame.quarantineMaxMs < blame.quarantineMs) {
    problems.push(yaml.problem(['scheduler', 'blame', 'quarantineMaxMs'], 'must be at least quarantineMs'));
  }
  if (file.api.bodiesBytesMax < file.api.bodyBytesMax) {
    problems.push(yaml.problem(['api', 'bodiesBytesMax'], 'must be at least bodyBytesMax'));
  }
  if (file.api.socketIdleMs <= file.api.waitSecondsMax * 1_000) {
    problems.push(yaml.problem(['api', 'socketIdleMs'], 'must be longer than waitSecondsMax'));
  }
  if (!file.api.login.password && file.api.login.providers.length === 0) {
    problems.push(
      yaml.problem(['api', 'login', 'password'], 'no user could log in, since no providers are configured'),
    );
  }
  file.api.login.providers.forEach(({ scopes }, index) => {
    if (scopes.includes('openid')) return;
    const key = ['api', 'login', 'providers', index, 'scopes'];
    problems.push(yaml.problem(key, 'openid is missing'));
  });
  problems.push(...mailProblems(file.api, yaml));
  return problems;
}

/** Paths of secret files are relative to the home. */
function loginConfiguration({ providers, ...rest }: LoginSection, home: string): LoginSection {
  const located = providers.map(({ clientSecretFile: file, ...provider }) => ({
    ...provider,
    ...(file !== undefined && { clientSecretFile: pathFrom(home, file) }),
  }));
  return { ...rest, providers: located };
}

function mailProblems({ mail, publicUrl }: ServerFile['api'], yaml: YamlFile): string[] {
  if (!mail) return [];
  const problem = (text: string): string => yaml.problem(['api', 'mail'], text);
  return [
    publicUrl === undefined ? problem('publicUrl is missing: mails have links to pages') : '',
    (mail.user === undefined) === (mail.passwordFile === undefined)
      ? ''
      : problem('user and passwordFile belong together'),
  ].filter(Boolean);
}

function mailConfiguration({ passwordFile: file, ...section }: MailSection, home: string): MailSection {
  return { ...section, ...(file !== undefined && { passwordFile: pathFrom(home, file) }) };
}

/** The keys of the section that belong to its kind. */
function storeConfiguration(section: StoreSection, yaml: YamlFile, home: string): StoreSettings {
  const { kind, path, bucket, endpoint, ...rest } = section;
  if (kind === 'folder') return { kind, path: pathFrom(home, path) };
  if (bucket) return { kind, ...(endpoint && { endpoint }), bucket, ...rest };
  throw new ConfigurationError([yaml.problem(['store'], 'bucket is missing: the kind s3 needs it')]);
}

/** A cap that the file leaves out is absent, so that a reader can spread the caps over its own defaults. */
function schedulerConfiguration({ scheduler }: ServerFile, env: NodeJS.ProcessEnv): SchedulerSection {
  const caps = Object.entries(scheduler.caps).filter(([, cap]) => typeof cap === 'number');
  const port = portOf('PROCTOR_SCHEDULER_METRICS_PORT', env, scheduler.metrics.port);
  return { ...scheduler, caps: Object.fromEntries(caps), metrics: { ...scheduler.metrics, port } };
}

function workerConfiguration(file: WorkerFile, home: string, folder: string): WorkerConfiguration {
  const commands = Object.entries(file.variants).map(([name, [command = '', ...args]]) => [
    name,
    [command.includes('/') ? pathFrom(folder, command) : command, ...args],
  ]);
  return {
    ...file,
    name: file.name ?? hostWorkerName(),
    architectures: withHost(file.architectures, hostArchitecture),
    suitesAtStart: withHost(file.suitesAtStart, release),
    variants: Object.fromEntries(commands) as Record<string, string[]>,
    workPath: pathFrom(home, file.workPath),
  };
}

function release(): string {
  const name = hostRelease();
  if (name) return name;
  throw new ConfigurationError([
    'suites: this machine names no release in /etc/os-release: list the suites by name',
  ]);
}

function withHost(names: string[], host: () => string): string[] {
  return [...new Set(names.map((name) => (name === HOST ? host() : name)))];
}

function portOf(variable: string, env: NodeJS.ProcessEnv, otherwise: number): number {
  const text = env[variable];
  if (text === undefined) return otherwise;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65535) return port;
  throw new ConfigurationError([`${variable}: ${JSON.stringify(text)} is not a port number from 0 to 65535`]);
}

function pathFrom(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}
