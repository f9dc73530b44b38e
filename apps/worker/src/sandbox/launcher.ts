import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { CLEAN_ENVIRONMENT } from './sandbox-command';

/** In Perl; sandbox-launcher.pl describes it. */
export const LAUNCHER_PROGRAM = ['calls', 'view', 'root', 'launcher', 'network']
  .map((part) => readFileSync(join(__dirname, `sandbox-${part}.pl`), 'utf8'))
  .join('\n');

/** A sandbox as its launcher tells of it. */
interface LaunchedState {
  /** Words of the launcher, each of which is said once at most. */
  listeners: Record<string, (text: string) => void>;
  /** The sandbox and its network, as far as they have not ended; 0: nothing more is heard of it. */
  parts: number;
}

/** Words that tell the end of a part. */
const ENDS = new Set(['ended', 'disconnected', 'unconnected']);

/** The program that opens sandboxes: frames are written to it, lines are read from it. */
export type LauncherProcess = ChildProcessByStdio<Writable, Readable, null>;

/** How a command ended; `code` is null when the sandbox was killed. A code above 128 is a signal's number plus 128. */
export interface SandboxEnd {
  code: number | null;
}

/**
 * The process that opens the sandboxes of a worker, in Perl: it is small, so that a copy of it costs little, and makes the
 * system calls itself that would otherwise be a program each. It is started with the first sandbox; the kernel ends it with
 * the worker, and all sandboxes with it.
 */
export class Launcher {
  private child: LauncherProcess | null = null;
  private readonly states = new Map<number, LaunchedState>();
  private lastNumber = 0;

  /** @param start starts the program that is described in sandbox-launcher.pl */
  constructor(private readonly start: () => LauncherProcess = () => startPerl()) {}

  /** @param fields names and values, as sandboxFields makes them */
  launch(fields: string[]): LaunchedSandbox {
    const { told: state, say: write } = this.register();
    const sandbox = new LaunchedSandbox(state, write);
    write('start', ...fields);
    return sandbox;
  }

  /** @param fields how its namespaces are made and it is connected, as networkFields makes them */
  prepareNetwork(fields: string[]): LaunchedNetwork {
    const { number, told: state, say: write } = this.register();
    const network = new LaunchedNetwork(state, write, number);
    write('prepare', ...fields);
    return network;
  }

  private register() {
    const child = this.startedProcess();
    const number = ++this.lastNumber;
    const state: LaunchedState = { listeners: {}, parts: 1 };
    this.states.set(number, state);
    this.updateReferences(child);
    const write = (word: string, ...fields: string[]) => {
      if (this.states.has(number)) send(child, [word, String(number), ...fields]);
    };
    return { number, told: state, say: write };
  }

  private startedProcess(): LauncherProcess {
    if (this.child) return this.child;
    const child = this.start();
    this.child = child;
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => this.receive(line));
    // Its end tells what became of it.
    child.stdin.on('error', () => undefined);
    const gone = (why: string) => {
      if (this.child === child) this.child = null;
      const over = [...this.states.values()];
      this.states.clear();
      // A network that was prepared waits for other words than a sandbox.
      for (const state of over) {
        state.parts = 0;
        for (const end of ENDS) state.listeners[end]?.(end === 'ended' ? 'killed' : why);
      }
    };
    child.once('error', (error) => gone(error.message));
    child.once('exit', () => gone('the launcher of sandboxes has ended'));
    return child;
  }

  private receive(line: string): void {
    const [number = '', word = '', ...text] = line.split(' ');
    const state = this.states.get(Number(number));
    if (!state) return;
    if (ENDS.has(word)) state.parts -= 1;
    if (state.parts === 0) this.states.delete(Number(number));
    if (this.child) this.updateReferences(this.child);
    state.listeners[word]?.(text.join(' '));
  }

  /** It keeps this process from ending only while there are sandboxes. */
  private updateReferences(child: LauncherProcess): void {
    const handles = [child, child.stdin as Socket, child.stdout as Socket];
    for (const handle of handles) {
      if (this.states.size > 0) handle.ref();
      else handle.unref();
    }
  }
}

/** A sandbox that is being opened, or open. */
export class LaunchedSandbox {
  /** Of its first process. Rejects, as the others, when it ends before. */
  readonly pid: Promise<number>;
  /** Its view is made. */
  readonly ready: Promise<void>;
  readonly ended: Promise<SandboxEnd>;
  /** Why root of its testbed shares its network; null: it has one of its own, or was not asked for. */
  readonly sharesNetwork: Promise<string | null>;
  private readonly isOver: Promise<never>;

  constructor(
    private readonly state: LaunchedState,
    private readonly write: (word: string, ...fields: string[]) => void,
  ) {
    this.ended = this.waitForWord('ended').then((code) => ({
      code: code === 'killed' ? null : Number(code),
    }));
    this.isOver = this.ended.then(({ code }) => {
      throw new Error(`the sandbox ended at once (exit code ${code})`);
    });
    this.pid = Promise.race([this.waitForWord('pid').then(Number), this.isOver]);
    this.ready = Promise.race([this.waitForWord('ready').then(() => undefined), this.isOver]);
    const testbed = this.waitForWord('testbed').then((text) =>
      text === 'own' ? null : text.replace(/^shared /, ''),
    );
    this.sharesNetwork = Promise.race([testbed, this.ended.then(() => null)]);
    for (const each of [this.isOver, this.pid, this.ready]) each.catch(() => undefined);
  }

  /** Its command begins. */
  startCommand(): void {
    this.write('go');
  }

  kill(): void {
    this.write('kill');
  }

  /** Gives it a network of its own, once it has its namespaces. @throws Error once it has ended */
  connect(fields: string[]): LaunchedNetwork {
    if (this.state.parts === 0) throw new Error('the sandbox ended before it had a network');
    this.state.parts += 1;
    const network = new LaunchedNetwork(this.state, this.write);
    this.write('connect', ...fields);
    return network;
  }

  private waitForWord(word: string): Promise<string> {
    return waitForWord(this.state, word);
  }
}

/** A network that is made, or up: of a sandbox that is there, or of one that comes later. */
export class LaunchedNetwork {
  /** Rejects when it cannot be made. */
  readonly connected: Promise<void>;
  /** Whether it was made or not. */
  readonly ended: Promise<void>;

  constructor(
    state: LaunchedState,
    private readonly write: (word: string, ...fields: string[]) => void,
    /** By which a sandbox that comes later finds it. */
    readonly number: number | null = null,
  ) {
    const failed = waitForWord(state, 'unconnected');
    const refused = failed.then((why) => {
      throw new Error(`slirp4netns: ${why}`);
    });
    this.connected = Promise.race([waitForWord(state, 'connected').then(() => undefined), refused]);
    this.connected.catch(() => undefined);
    this.ended = Promise.race([waitForWord(state, 'disconnected'), failed]).then(() => undefined);
  }

  /** Takes it away. */
  async stop(): Promise<void> {
    this.write('disconnect');
    await this.ended;
  }
}

function waitForWord(state: LaunchedState, word: string): Promise<string> {
  return new Promise((resolve) => (state.listeners[word] = resolve));
}

export function startPerl(program = LAUNCHER_PROGRAM): LauncherProcess {
  return spawn('perl', ['-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: CLEAN_ENVIRONMENT,
    cwd: '/',
    // Ctrl-C in the worker's terminal is the worker's affair.
    detached: true,
  });
}

function send(child: LauncherProcess, fields: string[]): void {
  const payload = Buffer.from(fields.join('\0'));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(payload.length);
  child.stdin.write(Buffer.concat([length, payload]));
}
