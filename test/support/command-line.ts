import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { findFreePort } from '@proctor/embedded';
import { OutputLines } from './output-lines';
import { contentsOf, requireNoneShown, seedsIn, type Output, type Secret } from './shown-secrets';
import { type Finished, typed } from './typed-commands';

export const project = join(__dirname, '../..');

/** The machine of a person: a home, a configuration folder, a port, and a shell to type in. */
export class Machine {
  private readonly starts: Start[] = [];

  private constructor(
    readonly folder: string,
    readonly port: number,
  ) {}

  static async make(): Promise<Machine> {
    const homes = join(process.env.PROCTOR_TEST_FOLDER ?? '', 'homes/');
    const machine = new Machine(await mkdtemp(homes), await findFreePort());
    await chmod(machine.folder, 0o711);
    await mkdir(machine.config);
    // Images are no part of what is tested here.
    await machine.configure('worker.yaml', 'suitesAtStart: []\n');
    return machine;
  }

  /** Writes a file of the configuration folder. */
  configure(file: string, text: string): Promise<void> {
    return writeFile(join(this.config, file), text);
  }

  get home(): string {
    return join(this.folder, 'home');
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  private get config(): string {
    return join(this.folder, 'config');
  }

  /** Starts Proctor as `npm start` does. @param launcher a program that executes the arguments after its own */
  start(env: NodeJS.ProcessEnv = {}, launcher: string[] = []): Start {
    const [program, ...args] = [...launcher, process.execPath, 'scripts/start.mjs'];
    const child = spawn(program, args, { cwd: project, env: this.env(env) });
    const start = new Start(child);
    this.starts.push(start);
    return start;
  }

  /** Begins a command of `proctor`, as a process that the test may kill. */
  begin(args: string[]): Start {
    const path = join(project, 'bin/proctor.mjs');
    const start = new Start(spawn(process.execPath, [path, ...args], { cwd: project, env: this.env({}) }));
    this.starts.push(start);
    return start;
  }

  /** Runs a command of `proctor` to its end, within this process. */
  proctor(args: string[], input = '', env: NodeJS.ProcessEnv = {}): Promise<Finished> {
    return typed(args, this.env(env), input);
  }

  /** Runs the command in its own process, as people do. */
  program(args: string[], input = '', env: NodeJS.ProcessEnv = {}): Promise<Finished> {
    return proctorProcess(args, { env: this.env(env), input });
  }

  read(file: string): Promise<string> {
    return readFile(join(this.home, file), 'utf8');
  }

  /** Ends what still runs and removes the folder. */
  async remove(): Promise<void> {
    await Promise.all(this.starts.map((start) => start.end('SIGTERM')));
    try {
      await this.requireSilence();
    } finally {
      await rm(this.folder, { recursive: true, force: true });
    }
  }

  /** @throws Error when a start or a server has printed a secret of the home */
  private async requireSilence(): Promise<void> {
    const files = ['secrets/postgres', 'secrets/database.url', 'admin.key', 'admin.password'].map((name) =>
      join(this.home, name),
    );
    const secrets = (await contentsOf(files)).map(([path, text]): Secret => [path, text.trim()]);
    const seeds = await seedsIn(join(this.home, 'secrets/nats-users'));
    const logs = ['nats', 'postgresql'].map((name) => join(this.home, name, 'server.log'));
    const words = this.starts.map(({ lines }): Output => ['npm start', lines.join('\n')]);
    requireNoneShown([...secrets, ...seeds], [...words, ...(await contentsOf(logs))]);
  }

  private env(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    const own = {
      PROCTOR_HOME: this.home,
      PROCTOR_CONFIG: this.config,
      PROCTOR_PORT: String(this.port),
      PROCTOR_DATABASE_URL: undefined,
      PROCTOR_NATS_USERS: undefined,
      PROCTOR_NATS_SERVER: process.env.PROCTOR_TEST_NATS_SERVER,
    };
    return { ...process.env, ...own, ...more };
  }
}

/** Runs a command of `proctor` to its end, as a process. */
export async function proctorProcess(
  args: string[],
  { env, input = '', cwd = project }: { env: NodeJS.ProcessEnv; input?: string; cwd?: string },
): Promise<Finished> {
  const child = spawn(process.execPath, [join(project, 'bin/proctor.mjs'), ...args], { cwd, env });
  child.stdin.end(input);
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'exit') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}

/** One `npm start`. */
export class Start {
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  hasEnded = false;
  private readonly output = new OutputLines();

  constructor(private readonly child: ChildProcess) {
    this.exit = once(child, 'close').then(([code, signal]) => {
      this.hasEnded = true;
      return { code: code as number | null, signal: signal as NodeJS.Signals | null };
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.output.add('start', line));
    }
  }

  get pid(): number {
    return this.child.pid!;
  }

  get lines(): string[] {
    return this.output.of('start');
  }

  /** Resolves with the first line that fits; rejects when it ended without one. */
  async line(pattern: RegExp): Promise<string> {
    const ending = this.exit.then(({ code, signal }) => {
      const match = this.lines.find((line) => pattern.test(line));
      if (match !== undefined) return match;
      throw new Error(`ended with ${signal ?? code} without ${pattern.source}:\n${this.lines.join('\n')}`);
    });
    return Promise.race([this.output.line('start', pattern), ending]);
  }

  ready(): Promise<string> {
    return this.line(/^Proctor is ready at /);
  }

  async end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.child.kill(signal);
    return this.exit;
  }
}
