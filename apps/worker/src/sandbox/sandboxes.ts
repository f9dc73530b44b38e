import { chmod, mkdir, readFile, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ControlGroups } from './control-groups';
import { Launcher } from './launcher';
import { RunFolder } from './run-folder';
import { findRunUser, canExecute } from './find-run-user';
import { Sandbox, type SandboxUse } from './sandbox';
import { sandboxHint } from './sandbox-hint';
import type { RunUser } from './run-user';
import { checkTools } from './tools';
import { SpareNetworks } from './spare-networks';
import { Unusable } from './unusable';

const TOOLS = ['mount', 'newgidmap', 'newuidmap', 'perl', 'setpriv', 'slirp4netns', 'unshare'];

/**
 * The first step of autopkgtest's own unshare backend, tried inside the sandbox by root of a testbed and by the run
 * user.
 */
const TRIAL_OF_ROOT = ['unshare', '--mount', '--', 'true'];
const TRIAL_OF_USER = ['unshare', '--user', '--map-auto', '--map-root-user', '--mount', '--', 'true'];

/** Paths that no sandbox may see, and paths that each sees although they are hidden or no part of the system. */
interface SandboxView {
  hidden: string[];
  visible: string[];
}

/** The networks of sandboxes. */
interface SandboxNetworks {
  /** How many are kept ready for later sandboxes. */
  ready: number;
  /** Networks and addresses that no private network can reach. */
  unreachable: string[];
}

/** Runs commands in sandboxes of this machine. */
export class Sandboxes {
  private readonly runsPath: string;
  private readonly unreachable: string[];
  private readonly networks: SpareNetworks;
  private isDraining = false;
  private user: RunUser | null = null;
  private groups: ControlGroups | null = null;
  private sharesNetwork: string | null = null;
  private detecting: Promise<void> | null = null;
  private trials = 0;

  /**
   * @param runs the folder of running sandboxes in `workPath`; two processes need different ones
   * @param view paths that no sandbox may see, in addition to the folders of the others, and paths that each may see
   */
  constructor(
    private readonly workPath: string,
    runs = 'runs',
    private readonly view: SandboxView = { hidden: [], visible: [] },
    networks: SandboxNetworks = { ready: 0, unreachable: [] },
    private readonly launcher = new Launcher(),
  ) {
    this.runsPath = join(workPath, runs);
    this.unreachable = networks.unreachable;
    this.networks = new SpareNetworks(this.launcher, networks.ready);
  }

  /** Ends and removes what an earlier life of the worker left. Returns the names of the runs' folders. */
  async removeLeftovers(): Promise<string[]> {
    return RunFolder.removeLeftovers(this.runsPath);
  }

  /**
   * Proves that sandboxes work by running one.
   * @throws Unusable naming what is missing and what helps
   */
  detect(): Promise<void> {
    this.detecting ??= this.prove().finally(() => (this.detecting = null));
    return this.detecting;
  }

  /**
   * Proves it again after a sandbox could not be opened: rights and settings may have changed. Until that succeeds,
   * none is opened.
   * @throws Unusable naming what is missing and what helps
   */
  async detectAgain(): Promise<void> {
    this.user = null;
    await this.networks.end();
    await this.detect();
  }

  async createFolder(name: string): Promise<RunFolder> {
    return RunFolder.create(this.runsPath, name, this.requireUser());
  }

  async start(folder: RunFolder, use: SandboxUse): Promise<Sandbox> {
    const user = this.requireUser();
    // Control groups show other runs; those of a worker that is an ordinary user belong to the run user, with their
    // limits.
    const groups = this.groups ? [this.groups.path] : [];
    const [hidden, visible] = await Promise.all([
      withTargets([this.runsPath, ...this.view.hidden, ...groups]),
      withTargets([this.workPath, ...this.view.visible]),
    ]);
    const mayTake = use.network === 'private' && !use.interpreters?.length;
    const prepared = mayTake ? this.networks.claim() : null;
    const view = { ...use, hidden, visible, unreachable: this.unreachable };
    const sandbox = await Sandbox.start(this.launcher, user, folder, view, this.groups, prepared);
    this.fillNetworks();
    return sandbox;
  }

  /** Stops keeping networks ready. */
  async drain(): Promise<void> {
    this.isDraining = true;
    await this.networks.end();
  }

  /** Runs a command to its end in a sandbox of its own. `errors`: its standard error. */
  async tryCommand(name: string, use: SandboxUse): Promise<{ code: number | null; errors: string }> {
    // Numbered: several backends may try the same command at a time, and creating a folder ends what runs in an older
    // one.
    const folder = await this.createFolder(`trial-${name}-${++this.trials}`);
    try {
      const sandbox = await this.start(folder, use).catch(async (error: Error) => {
        const errors = await readFile(folder.errors, 'utf8');
        throw new Unusable(`no sandbox can be made: ${errors.trim() || error.message}`);
      });
      const { code } = await sandbox.ending;
      return { code, errors: (await readFile(folder.errors, 'utf8')).trim() };
    } finally {
      await folder.remove();
    }
  }

  /** Whether the worker is root and becomes the run user for everything that touches a test. */
  get runsAsRoot(): boolean {
    return this.requireUser().switched;
  }

  /** Describes for people which controls enforce the limits of a run; known after `detect`. */
  get limits(): string {
    const limited = [...(this.groups?.controllers ?? [])].join(' and ');
    return limited
      ? `a control group of its own limits ${limited} of each run`
      : 'limits of each process bound a run';
  }

  /** Describes for people what root of a testbed may do with its network; known after `detect`. */
  get network(): string {
    return this.sharesNetwork === null
      ? 'root of a testbed may change its network'
      : `root of a testbed may not change its network, which fails tests that do so: ${this.sharesNetwork}`;
  }

  /** Removes the folder of running sandboxes; call it only when none runs. */
  async close(): Promise<void> {
    await this.drain();
    await rm(this.runsPath, { recursive: true, force: true });
  }

  /** Whether the run user can execute this program: a path, or a name in the PATH. */
  async isExecutable(program: string): Promise<boolean> {
    return canExecute(this.requireUser(), ['sh', '-c', 'command -v "$1"', 'sh', program]);
  }

  private async prove(): Promise<void> {
    if (this.user) return;
    this.groups ??= await ControlGroups.open();
    await checkTools(TOOLS);
    const user = await findRunUser();
    await mkdir(this.runsPath, { recursive: true });
    // Not left to the umask: the run user must pass through these folders.
    await chmod(this.workPath, 0o755);
    await chmod(this.runsPath, 0o711);
    const folder = await RunFolder.create(this.runsPath, 'trial', user);
    try {
      this.sharesNetwork = await tryCommands(this.launcher, user, folder, this.groups, this.unreachable);
    } finally {
      await folder.remove();
    }
    this.user = user;
    this.fillNetworks();
  }

  private fillNetworks(): void {
    if (this.user && !this.isDraining) this.networks.fill(this.user);
  }

  private requireUser(): RunUser {
    if (!this.user) throw new Unusable('no sandbox was proved to work on this machine yet');
    return this.user;
  }
}

/** The paths, and the targets of those that are symbolic links. */
async function withTargets(paths: string[]): Promise<string[]> {
  const targets = await Promise.all(paths.map((path) => realpath(path).catch(() => path)));
  return [...new Set([...paths, ...targets])];
}

/** @returns why root of a testbed shares the network of its sandbox; null: it has its own */
async function tryCommands(
  launcher: Launcher,
  user: RunUser,
  folder: RunFolder,
  groups: ControlGroups | null,
  unreachable: string[],
): Promise<string | null> {
  if (!(await canExecute(user, ['test', '-w', folder.workArea]))) {
    throw new Unusable(
      `user ${user.name} cannot reach ${folder.path}: let others pass through its parent folders`,
    );
  }
  try {
    const limits = { hidden: [dirname(folder.path)], tmpfsBytes: 1024 * 1024, processesMax: 100 };
    const tryOne = async (use: Pick<SandboxUse, 'command' | 'network' | 'asRoot' | 'unreachable'>) => {
      const sandbox = await Sandbox.start(launcher, user, folder, { ...use, ...limits }, groups);
      const { code } = await sandbox.ending;
      if (code !== 0) throw new Error(`exit code ${code}`);
      return sandbox.sharesNetwork;
    };
    await tryOne({ command: TRIAL_OF_USER, network: 'host' });
    return await tryOne({ command: TRIAL_OF_ROOT, network: 'private', asRoot: true, unreachable });
  } catch (error) {
    const errors = (await readFile(folder.errors, 'utf8')).trim();
    const hint = await sandboxHint();
    throw new Unusable(`no sandbox can be made: ${errors || (error as Error).message}${hint}`);
  }
}
