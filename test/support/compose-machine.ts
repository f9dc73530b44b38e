import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { findFreePort } from '@proctor/embedded';
import { project } from './command-line';
import { type Compose, type ComposeService, interpolated, readCompose } from './compose';
import { OutputLines } from './output-lines';
import type { Finished } from './typed-commands';

/** The id of the user of the Dockerfile. */
const USER = 900;
const isRoot = process.getuid?.() === 0;
/** The ports on which the services listen in their containers. */
const PORTS = ['4222', '8080', '8222', '9101', '9102'];

/** The services of docker-compose.yml as processes of this machine: their volumes are folders, their ports free ones. */
export class ComposeMachine {
  readonly output = new OutputLines();
  private readonly started = new Map<string, ChildProcess>();
  private readonly ports = new Map<string, string>();

  private constructor(
    readonly folder: string,
    private readonly compose: Compose,
    private readonly databaseUrl: string,
  ) {}

  /** @param databaseUrl in place of the service `postgres` */
  static async make(databaseUrl: string): Promise<ComposeMachine> {
    const folder = await mkdtemp(join(process.env.PROCTOR_TEST_FOLDER ?? '', 'compose-'));
    await chmod(folder, 0o755);
    const machine = new ComposeMachine(folder, readCompose(project), databaseUrl);
    for (const port of PORTS) machine.ports.set(port, String(await findFreePort()));
    await machine.makeVolumes();
    return machine;
  }

  /** A service's command to its end; with the words of `docker compose run`, those in the place of its own. */
  async run(name: string, words?: string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
    const child = this.spawn(name, words ?? this.service(name).command ?? [], env);
    child.stdin!.end();
    const exit = once(child, 'close') as Promise<[number | null]>;
    const [[code], stdout, stderr] = await Promise.all([exit, text(child.stdout!), text(child.stderr!)]);
    return { code, stdout, stderr };
  }

  /** @param as the name in `output`, and for later calls */
  start(name: string, env: NodeJS.ProcessEnv = {}, as = name): void {
    const child = this.spawn(name, this.service(name).command ?? [], env);
    this.started.set(as, child);
    for (const stream of [child.stdout!, child.stderr!])
      createInterface({ input: stream }).on('line', (line) => this.output.add(as, line));
  }

  /** Runs the health check of the service until it succeeds. @throws Error if the process has ended */
  async healthy(name: string): Promise<void> {
    const url = this.mapped(name, this.service(name).healthcheck!.test.at(-1)!);
    const words = ['node', 'scripts/healthy.mjs', url];
    for (;;) {
      if (this.started.get(name)!.exitCode !== null)
        throw new Error(`${name} has ended:\n${this.output.of(name).join('\n')}`);
      const { code } = await this.run(name, words);
      if (code === 0) return;
    }
  }

  /** A file as a service sees it. */
  path(name: string, path: string): string {
    return this.mapped(name, path);
  }

  async remove(): Promise<void> {
    const running = [...this.started.entries()].filter(([, { exitCode }]) => exitCode === null);
    for (const [name, child] of running.reverse()) {
      child.kill(name === 'worker' ? 'SIGINT' : 'SIGTERM');
      await once(child, 'close');
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private service(name: string): ComposeService {
    return this.compose.services[name]!;
  }

  /**
   * Creates volumes with the owners that Docker gives them: a new volume has the owner of the image's folder, which is
   * the Dockerfile's user, else root.
   */
  private async makeVolumes(): Promise<void> {
    const own = ['home', 'nats-files', 'nats-users', 'worker-credentials'];
    for (const name of Object.keys(this.compose.volumes)) {
      await mkdir(this.volume(name), { recursive: true });
      if (isRoot && own.includes(name)) await chown(this.volume(name), USER, USER);
    }
    await cp(join(project, 'config/examples/one-machine'), this.configuration, { recursive: true });
    for (const file of ['proctor.yaml', 'worker.yaml']) {
      const path = join(this.configuration, file);
      await writeFile(path, this.withPorts(await readFile(path, 'utf8')));
    }
    // Mounted into a volume that is mounted too.
    const text = await readFile(join(project, 'deploy/nats/nats-server.conf'), 'utf8');
    const target = this.mapped('nats', '/etc/proctor/nats/nats-server.conf');
    await writeFile(target, this.withPorts(this.mapped('nats', text)).replace('0.0.0.0', '127.0.0.1'));
  }

  get configuration(): string {
    return join(this.folder, 'configuration');
  }

  private volume(name: string): string {
    return join(this.folder, 'volumes', name);
  }

  private spawn(name: string, words: string[], env: NodeJS.ProcessEnv): ChildProcess {
    const service = this.service(name);
    const [program = '', ...args] = [...(service.entrypoint ?? []), ...words].map((word) =>
      this.mapped(name, word),
    );
    const programs: Record<string, string> = {
      node: process.execPath,
      'nats-server': process.env.PROCTOR_TEST_NATS_SERVER!,
    };
    const [first = '', ...rest] = [...confinement(service), programs[program] ?? program, ...args];
    return spawn(first, rest, { cwd: project, env: { ...this.environment(name), ...env } });
  }

  private environment(name: string): NodeJS.ProcessEnv {
    const env: NodeJS.ProcessEnv = {
      PATH: process.env.PATH,
      HOME: this.mapped(name, '/var/lib/proctor'),
      PROCTOR_HOME: this.mapped(name, '/var/lib/proctor'),
      PROCTOR_LOG: 'json',
      NODE_OPTIONS: `--require=${join(__dirname, 'compose-names.cjs')}`,
      COMPOSE_NAMES: Object.keys(this.compose.services).join(','),
    };
    for (const [variable, value] of Object.entries(this.service(name).environment ?? {}))
      env[variable] = this.mapped(name, value);
    // The server of the tests, which has another port and password. Nothing but this machine may reach an api.
    if (env.PROCTOR_DATABASE_URL) env.PROCTOR_DATABASE_URL = this.databaseUrl;
    if (env.PROCTOR_HOST) env.PROCTOR_HOST = '127.0.0.1';
    return env;
  }

  /** Paths below the mounts of a service as this machine has them. */
  private mapped(name: string, text: string): string {
    const mounts = (this.service(name).volumes ?? []).map((volume) => {
      const [source = '', target = ''] = this.interpolated(volume).split(':');
      return { source, target };
    });
    const folders = mounts.filter(({ source }) => !/\.\w+$/.test(source));
    const places = folders
      .map(({ source, target }): [string, string] => [
        target,
        source.startsWith('.') ? this.configuration : this.volume(source),
      ])
      .sort(([one], [other]) => other.length - one.length);
    const mappedText = places.reduce(
      (rest, [target, place]) => rest.replace(new RegExp(`(?<![\\w/-])${target}(?![\\w-])`, 'g'), place),
      this.interpolated(text),
    );
    return this.withPorts(mappedText);
  }

  private withPorts(text: string): string {
    return text.replace(/(?<=:\s?)\d{4}\b/g, (port) => this.ports.get(port) ?? port);
  }

  private interpolated(text: string): string {
    return interpolated(text, { PROCTOR_DATABASE_PASSWORD: 'of-a-rehearsal' });
  }
}

/** The user and the capabilities of the container. */
function confinement({ user, privileged, image = '', cap_add: added = [] }: ComposeService): string[] {
  if (privileged) return [];
  const capabilities = ['-all', ...added.map((name) => `+${name.toLowerCase()}`)].join(',');
  // Others' images are root's here, as that of nats-server is there.
  const isOwn = image.startsWith('proctor:') && user !== 'root';
  if (isRoot) {
    const as = isOwn ? [`--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'] : [];
    return ['setpriv', ...as, '--no-new-privs', `--bounding-set=${capabilities}`];
  }
  if (isOwn) return [];
  return [
    'unshare',
    '--map-auto',
    '--map-root-user',
    'setpriv',
    '--no-new-privs',
    `--bounding-set=${capabilities}`,
  ];
}
