import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Credentials } from '@proctor/bus';
import { deploymentPaths } from '@proctor/config';
import { list } from 'tar';
import { ControlGroups } from '@apps/worker/src/sandbox/control-groups';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { imageCachePath } from '@test/support/worker-images';
import { hostArchitecture } from '@test/support/host-architecture';
import { canLeave, imagePaths, strays, type Sight } from './sight-origins';
import { leaseOfTree, openMachine, sourceTree, storedLog, type TestMachine } from './test-machine';

const LISTINGS_BYTES_MAX = 1024 ** 3;

/** Secrets that are planted on this machine, unlike those of any other test. */
const PLANTED = secretsOf({
  configuration: 'deb https://mirror:pass-of-a-source@mirror.example/debian',
  credentials: 'the-seed-of-a-workers-key',
  users: 'the-seed-of-the-apis-key',
  home: 'a-secret-of-the-home',
  otherRun: 'the-output-of-another-run',
  result: 'the-log-of-another-run',
  elsewhere: 'a-file-that-everybody-may-read',
  environment: 'a-variable-of-the-worker',
  shown: 'a-file-that-was-shown',
});

/** What a run sees of the worker's folder, and of that of the planted deployment. */
const OF_WORK = /^\/((images|runs)(\/[^/]+)?|images\/[^/]+\/[^/]+|results|tree-.*)$/;
const OF_STAGE = /^\/(conf|credentials|home|shown|users)$/;

const WORKER_CREDENTIALS = 'credentials/w1.json';

/** A deployment that runs on this machine, one that was planted on its disk, and tests that look for both. */
export class SightStage {
  /** Unlike that of any other test that runs on this machine. */
  private readonly mark = `planted-${process.pid}-name`;
  readonly abstract = `proctor-${process.pid}`;
  private server: Server | null = null;
  /** The control group of another worker's run. */
  private group: string | null = null;

  private constructor(
    /** The folder of the planted deployment; sandboxes are shown what of it is not hidden. */
    readonly folder: string,
    private readonly proctor: RunningProctor,
    /** Users of NATS of the deployment that runs, its worker's first. */
    readonly users: Credentials[],
  ) {}

  static async open(): Promise<SightStage> {
    await mkdir(imageCachePath(), { recursive: true });
    const folder = await mkdtemp(join(imageCachePath(), 'stage-'));
    const proctor = await startProctor({ apps: ['api', 'scheduler'] });
    const names = [proctor.users.workers[0]?.name ?? '', 'api', 'scheduler'];
    const users = await Promise.all(names.map((name) => proctor.users.read(name)));
    const stage = new SightStage(folder, proctor, users);
    await stage.prepare();
    return stage;
  }

  async close(): Promise<void> {
    this.server?.close();
    delete process.env['PROCTOR_PLANTED'];
    if (this.group !== null) await rmdir(this.group);
    await this.proctor.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The path of a file of the planted deployment that sandboxes may see. */
  get shown(): string {
    return join(this.folder, 'shown');
  }

  /** The path of the credentials of the planted deployment. */
  get credentials(): string {
    return join(this.folder, WORKER_CREDENTIALS);
  }

  /** What a sandbox of this machine hides of both deployments. */
  get hidden(): string[] {
    const planted = deploymentPaths(
      { home: join(this.folder, 'home') },
      {
        PROCTOR_CONFIG: join(this.folder, 'conf'),
        PROCTOR_NATS_CREDENTIALS: this.credentials,
        PROCTOR_NATS_USERS: join(this.folder, 'users'),
      },
    );
    // Of deployments that are yet to come: the system's folders show what they hold when a sandbox is opened.
    const planned = [`/etc/${this.mark}`, `/var/lib/${this.mark}`];
    return [...planted, ...planned, ...deploymentPaths({ home: this.proctor.home.path }, {})];
  }

  /** The addresses of the deployment's services as a test could guess them. */
  get guesses(): { hosts: string[]; ports: number[] } {
    const addresses = Object.values(networkInterfaces()).flatMap((addressesOfLink) => addressesOfLink ?? []);
    const hosts = addresses.flatMap(({ address, scopeid }) =>
      scopeid ? [`${address}%eth0`, `${address}%tap0`] : [address],
    );
    const urls = [this.proctor.url, this.users[0]?.url ?? '', this.proctor.databaseUrl];
    return {
      hosts: [
        ...new Set([
          '127.0.0.1',
          '::1',
          '0.0.0.0',
          '10.0.2.2',
          '10.0.2.3',
          '10.0.2.100',
          '10.0.2.129',
          'fd00::2',
          ...hosts,
        ]),
      ],
      ports: urls.map((url) => Number(new URL(url).port)),
    };
  }

  /** A machine that shows and hides what it should, with the image of this backend where it needs one. */
  machine(backend: string): Promise<TestMachine> {
    const images = backend === 'null' ? [] : [{ backend, arch: hostArchitecture() }];
    const overrides = {
      backends: [backend],
      variants: { autopkgtest: ['autopkgtest'] },
      visiblePaths: [this.folder],
      artifactsBytesMax: LISTINGS_BYTES_MAX,
      runTimeoutMs: 3_600_000,
    };
    return openMachine(overrides, images, this.hidden);
  }

  /** What a test sees that leaves its testbed where it can, and tries there to uncover what the sandbox hides. */
  async look(machine: TestMachine, backend: string): Promise<Sight> {
    const { workPath } = machine;
    await plant(join(workPath, `runs/99-1/out/log-${this.mark}`), PLANTED.otherRun);
    await plant(join(workPath, `results/98-1/log-${this.mark}`), PLANTED.result);
    const orders = {
      secrets: this.secrets(),
      mark: this.mark,
      abstract: [this.abstract],
      covered: canLeave(backend) ? [...this.hidden, join(workPath, 'runs'), join(workPath, 'results')] : [],
      // Of the machine itself, whose disk may be large: what programs write, and where something was planted.
      read: backend === 'null' ? ['/etc/', '/proc/', '/run/', '/tmp/', '/var/', `${this.folder}/`] : ['/'],
      // It has what a worker needs to be let in, and no scheduler to connect to.
      credentials: JSON.stringify(this.users[0]),
      ...this.guesses,
    };
    const script = await readFile(join(__dirname, 'look-around.py'), 'utf8');
    const ordered = script.replace('@ORDERS@', Buffer.from(JSON.stringify(orders)).toString('hex'));
    // A test on the machine itself is the run user, who may not become root.
    const tree = await sourceTree(workPath, ordered, backend === 'null' ? '' : 'needs-root');
    const never = new AbortController().signal;
    const result = await machine.runner.run(leaseOfTree(tree, { backend }), () => undefined, never);
    const log = await storedLog(result);
    const line = /^SEEN (.*)$/m.exec(log)?.[1];
    if (result.verdict !== 'pass' || line === undefined) throw new Error(`${result.message}\n${log}`);
    const archive = result.files.find(({ name }) => name === 'artifacts.tar.gz')?.path ?? '';
    const [seenPaths, owned] = await contentsIn(archive, ['artifacts/seen', 'artifacts/owned']);
    return {
      ...(JSON.parse(line) as Omit<Sight, 'paths' | 'owned'>),
      paths: seenPaths!.split('\0').slice(0, -1),
      owned: new Set(owned!.split('\n')),
    };
  }

  /** The paths that a test has seen and that belong neither to the machine nor to the image, and were not put there. */
  async strays(sight: Sight, machine: TestMachine, backend: string): Promise<string[]> {
    const { workPath } = machine;
    const shownPaths = [workPath, this.folder].flatMap(withParents);
    const isShown = (path: string) => {
      if (path.startsWith(`${workPath}/`)) return OF_WORK.test(path.slice(workPath.length));
      if (path.startsWith(`${this.folder}/`)) return OF_STAGE.test(path.slice(this.folder.length));
      // They may lie in a folder that is the sandbox's own: a place is made for them in that.
      const [, place] = /^\/.+\/\.(?:run|tmp|var-tmp)(\/.+)$/.exec(path) ?? [];
      return (
        shownPaths.includes(path) || (place !== undefined && shownPaths.some((each) => each.endsWith(place)))
      );
    };
    return strays(sight, backend, await imagePaths(workPath, backend), isShown);
  }

  /** The paths that were seen in what no sandbox may see. */
  hiddenOnes({ paths }: Sight, { workPath }: TestMachine): string[] {
    const hidden = [...this.hidden, join(workPath, 'results')];
    return paths.filter((path) => hidden.some((folder) => path.slice(1).startsWith(`${folder}/`)));
  }

  /** Puts other credentials into the place of the planted ones, as a rotation does. */
  async rotate(): Promise<void> {
    await plant(`${this.credentials}.new`, PLANTED.credentials);
    await rename(`${this.credentials}.new`, this.credentials);
  }

  /** Puts another folder into the place of the planted configuration. Returns what then holds a secret. */
  async replaceConfiguration(): Promise<string[]> {
    const [folder, old] = [join(this.folder, 'conf'), join(this.folder, 'conf.old')];
    await rename(folder, old);
    const file = `apt-sources-${this.mark}.yaml`;
    await plant(join(folder, file), PLANTED.configuration);
    return [join(folder, file), join(old, file)];
  }

  private secrets(): Record<string, string> {
    return {
      ...PLANTED,
      apiKey: this.proctor.adminKey,
      ...Object.fromEntries(this.users.map(({ name, seed }) => [`seed of ${name}`, seed])),
      databasePassword: new URL(this.proctor.databaseUrl).password,
    };
  }

  private async prepare(): Promise<void> {
    await chmod(this.folder, 0o755);
    const files = {
      [`conf/apt-sources-${this.mark}.yaml`]: PLANTED.configuration,
      [WORKER_CREDENTIALS]: PLANTED.credentials,
      [`users/api-${this.mark}.json`]: PLANTED.users,
      [`home/${this.mark}`]: PLANTED.home,
      shown: PLANTED.shown,
    };
    for (const [name, secret] of Object.entries(files)) await plant(join(this.folder, name), secret);
    process.env['PROCTOR_PLANTED'] = PLANTED.environment;
    const groups = await ControlGroups.open();
    if (groups !== null) {
      await mkdir(join(groups.path, this.mark));
      this.group = join(groups.path, this.mark);
    }
    const server = (this.server = createServer());
    await new Promise<void>((resolve) => server.listen({ path: `\0${this.abstract}` }, resolve));
  }
}

function secretsOf<T extends Record<string, string>>(names: T): T {
  const entries = Object.entries(names).map(([name, secret]) => [name, `${secret}-${randomUUID()}`]);
  return Object.fromEntries(entries) as T;
}

function withParents(path: string): string[] {
  return path === '/' ? [] : [path, ...withParents(dirname(path))];
}

async function plant(path: string, secret: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${secret}\n`, { mode: 0o644 });
}

/** The contents of files of a tar archive. @throws when one is not in it */
async function contentsIn(archive: string, paths: string[]): Promise<string[]> {
  const contents = new Map<string, Promise<string>>();
  await list({
    file: archive,
    onReadEntry: (entry) => {
      const path = entry.path.replace(/^\.\//, '');
      if (paths.includes(path)) contents.set(path, text(entry));
    },
  });
  return Promise.all(
    paths.map((path) => contents.get(path) ?? Promise.reject(new Error(`${archive} lacks ${path}`))),
  );
}
