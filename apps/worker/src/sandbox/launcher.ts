import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { CLEAN_ENVIRONMENT } from './sandbox-command';

/** A Perl program; see sandbox-launcher.pl. */
export const LAUNCHER_PROGRAM = ['calls', 'view', 'root', 'launcher', 'network']
  .map((part) => readFileSync(join(__dirname, `sandbox-${part}.pl`), 'utf8'))
  .join('\n');

/** The state of a sandbox according to its launcher. */
interface LaunchedState {
  /** Word of the launcher → listener; each word comes at most once. */
  listeners: Record<string, (text: string) => void>;
  /** How many of sandbox and network have not ended; 0: no further word comes. */
  parts: number;
}

/** Words for the end of a part. */
const ENDS = new Set(['ended', 'disconnected', 'unconnected']);

/** The program that opens sandboxes: it reads frames and writes lines. */
export type LauncherProcess = ChildProcessByStdio<Writable, Readable, null>;

/** How a command ended; `code` is null when the sandbox was killed. A code above 128 is a signal's number plus 128. */
export interface SandboxEnd {
  code: number | null;
}

/**
 * The process that opens the sandboxes of a worker. It is written in Perl: it is small, so that a copy of it costs
 * little, and makes the system calls itself that would otherwise each be a program. It is started with the first
 * sandbox. The kernel ends it with the worker, and all sandboxes with it.
 */
export class Launcher {
  private child: LauncherProcess | null = null;
  private readonly states = new Map<number, LaunchedState>();
  private lastNumber = 0;

  /** @param start starts the program, see sandbox-launcher.pl */
  constructor(private readonly start: () => LauncherProcess = () => startPerl()) {}

  /** @param fields names and values from sandboxFields */
  launch(fields: string[]): LaunchedSandbox {
    const { state, write } = this.register();
    const sandbox = new LaunchedSandbox(state, write);
    write('start', ...fields);
    return sandbox;
  }

  /** @param fields namespaces and connection, from preparedFields */
  prepareNetwork(fields: string[]): LaunchedNetwork {
    const { number, state, write } = this.register();
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
    return { number, state, write };
  }

  private startedProcess(): LauncherProcess {
    if (this.child) return this.child;
    const child = this.start();
    this.child = child;
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => this.receive(line));
    // The end of the process is handled below.
    child.stdin.on('error', () => undefined);
    const onEnd = (why: string) => {
      if (this.child === child) this.child = null;
      const over = [...this.states.values()];
      this.states.clear();
      // A prepared network waits for other words than a sandbox.
      for (const state of over) {
        state.parts = 0;
        for (const end of ENDS) state.listeners[end]?.(end === 'ended' ? 'killed' : why);
      }
    };
    child.once('error', (error) => onEnd(error.message));
    child.once('exit', () => onEnd('the launcher of sandboxes has ended'));
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

  /** The launcher keeps this process alive only while there are sandboxes. */
  private updateReferences(child: LauncherProcess): void {
    const handles = [child, child.stdin as Socket, child.stdout as Socket];
    for (const handle of handles) {
      if (this.states.size > 0) handle.ref();
      else handle.unref();
    }
  }
}

/** A sandbox that is opening or open. */
export class LaunchedSandbox {
  /** Id of its first process. Rejects, like the others, when the sandbox ends before. */
  readonly pid: Promise<number>;
  /** Resolves when its view of the files is ready. */
  readonly ready: Promise<void>;
  readonly ending: Promise<SandboxEnd>;
  /** Why root of its testbed shares its network; null: it has its own network, or there is no such root. */
  readonly sharesNetwork: Promise<string | null>;
  private readonly isOver: Promise<never>;

  constructor(
    private readonly state: LaunchedState,
    private readonly write: (word: string, ...fields: string[]) => void,
  ) {
    this.ending = this.waitForWord('ended').then((code) => ({
      code: code === 'killed' ? null : Number(code),
    }));
    this.isOver = this.ending.then(({ code }) => {
      throw new Error(`the sandbox ended at once (exit code ${code})`);
    });
    this.pid = Promise.race([this.waitForWord('pid').then(Number), this.isOver]);
    this.ready = Promise.race([this.waitForWord('ready').then(() => undefined), this.isOver]);
    const testbed = this.waitForWord('testbed').then((text) =>
      text === 'own' ? null : text.replace(/^shared /, ''),
    );
    this.sharesNetwork = Promise.race([testbed, this.ending.then(() => null)]);
    for (const each of [this.isOver, this.pid, this.ready]) each.catch(() => undefined);
  }

  /** Starts its command. */
  startCommand(): void {
    this.write('go');
  }

  kill(): void {
    this.write('kill');
  }

  /** Connects it to a network of its own, once it has its namespaces. @throws Error once it has ended */
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

/** A network that is being connected or is up, for an open sandbox or a later one. */
export class LaunchedNetwork {
  /** Rejects when it cannot be connected. */
  readonly connected: Promise<void>;
  /** Resolves at its end, even if it was never connected. */
  readonly ending: Promise<void>;

  constructor(
    state: LaunchedState,
    private readonly write: (word: string, ...fields: string[]) => void,
    /** The number by which a later sandbox uses it. */
    readonly number: number | null = null,
  ) {
    const failure = waitForWord(state, 'unconnected');
    const refusal = failure.then((why) => {
      throw new Error(`slirp4netns: ${why}`);
    });
    this.connected = Promise.race([waitForWord(state, 'connected').then(() => undefined), refusal]);
    this.connected.catch(() => undefined);
    this.ending = Promise.race([waitForWord(state, 'disconnected'), failure]).then(() => undefined);
  }

  async stop(): Promise<void> {
    this.write('disconnect');
    await this.ending;
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
    // Ctrl-C in the worker's terminal is for the worker alone.
    detached: true,
  });
}

function send(child: LauncherProcess, fields: string[]): void {
  const payload = Buffer.from(fields.join('\0'));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(payload.length);
  child.stdin.write(Buffer.concat([length, payload]));
}
