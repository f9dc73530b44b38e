import { stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { readAptSources } from './apt-sources-file';
import type { Configuration, ServerConfiguration, WorkerConfiguration } from './configuration';
import { hostArchitecture, hostRelease, hostWorkerName } from './host';
import { readRejectList } from './reject-list-file';
import { HOST } from './rules';
import { ServerFile } from './server-file';
import { WorkerFile } from './worker-file';
import { ConfigurationError, YamlFile } from './yaml-file';

/**
 * Reads the configuration folder (`PROCTOR_CONFIG`, default `config`) and the environment's overrides
 * (`PROCTOR_HOME`, `PROCTOR_HOST`, `PROCTOR_PORT`).
 * @throws ConfigurationError listing every problem with its file, line and key
 */
export async function loadConfiguration(env: NodeJS.ProcessEnv = process.env): Promise<Configuration> {
  const folder = resolve(env['PROCTOR_CONFIG'] ?? 'config');
  const home = resolve(env['PROCTOR_HOME'] ?? '.proctor');
  if (!(await isFolder(folder))) throw new ConfigurationError([`PROCTOR_CONFIG: ${folder} is not a folder`]);
  const file = (name: string): Promise<YamlFile> => YamlFile.read(join(folder, name));
  const [serverYaml, workerYaml, sourcesYaml, rejectYaml] = (await Promise.all(
    ['proctor.yaml', 'worker.yaml', 'apt-sources.yaml', 'reject-list.yaml'].map(file),
  )) as [YamlFile, YamlFile, YamlFile, YamlFile];

  const problems: string[] = [];
  const collect = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  };
  const serverFile = collect(() => serverYaml.as(ServerFile));
  const server = serverFile && collect(() => serverConfiguration(serverFile, serverYaml, home, env));
  const worker = collect(() => workerConfiguration(workerYaml.as(WorkerFile), home, folder));
  const extraAptSources = collect(() => readAptSources(sourcesYaml));
  const rejectList = collect(() => readRejectList(rejectYaml));
  if (!serverFile || !server || !worker || !extraAptSources || !rejectList)
    throw new ConfigurationError(problems);
  return { home, server, scheduler: serverFile.scheduler, worker, extraAptSources, rejectList };
}

function serverConfiguration(
  file: ServerFile,
  yaml: YamlFile,
  home: string,
  env: NodeJS.ProcessEnv,
): ServerConfiguration {
  const defaultBackend = file.defaultBackend ?? file.backends[0] ?? '';
  if (!file.backends.includes(defaultBackend)) {
    throw new ConfigurationError([
      yaml.problem(['defaultBackend'], `${defaultBackend} is not among the backends`),
    ]);
  }
  if (file.scheduler.leaseRenewMs * 2 > file.scheduler.leaseTtlMs) {
    const text = 'must be at most half of leaseTtlMs, so that one lost renewal costs no lease';
    throw new ConfigurationError([yaml.problem(['scheduler', 'leaseRenewMs'], text)]);
  }
  return {
    ...file.api,
    host: env['PROCTOR_HOST'] ?? file.api.host,
    port: env['PROCTOR_PORT'] === undefined ? file.api.port : portOf(env['PROCTOR_PORT']),
    suites: withHost(file.suites, release),
    architectures: withHost(file.architectures, hostArchitecture),
    backends: file.backends,
    defaultBackend,
    variants: file.variants,
    storePath: within(home, file.storePath),
  };
}

function workerConfiguration(file: WorkerFile, home: string, folder: string): WorkerConfiguration {
  const commands = Object.entries(file.variants).map(([name, [command = '', ...args]]) => [
    name,
    [command.includes('/') ? within(folder, command) : command, ...args],
  ]);
  return {
    ...file,
    name: file.name ?? hostWorkerName(),
    architectures: withHost(file.architectures, hostArchitecture),
    suitesAtStart: withHost(file.suitesAtStart, release),
    variants: Object.fromEntries(commands) as Record<string, string[]>,
    workPath: within(home, file.workPath),
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

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65535) return port;
  throw new ConfigurationError([
    `PROCTOR_PORT: ${JSON.stringify(text)} is not a port number from 0 to 65535`,
  ]);
}

function within(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
