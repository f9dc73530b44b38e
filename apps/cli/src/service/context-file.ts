import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { EXIT, Failure } from '../failure';

/** A service that a person speaks to, under a name of their own. */
export interface Context {
  /** Without a slash at its end. */
  url: string;
  /** An API key. */
  key: string;
}

interface Kept {
  current: string | null;
  contexts: Record<string, Context>;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
/** Of a file's mode: whatever others than its owner may do. */
const FOR_OTHERS = 0o077;

/** The services of one person, with their keys, in a file that only its owner reads. */
export class Contexts {
  private constructor(
    readonly path: string,
    private readonly kept: Kept,
  ) {}

  /** @throws Failure when the file cannot be understood, or others may read the keys in it */
  static async read(env: NodeJS.ProcessEnv = process.env): Promise<Contexts> {
    const path = join(configurationHome(env), 'proctor', 'contexts.json');
    let text: string;
    try {
      if (((await stat(path)).mode & FOR_OTHERS) !== 0) {
        throw new Failure(
          `others may read the keys in ${path}`,
          EXIT.key,
          `make it yours alone: chmod 600 ${path}`,
        );
      }
      text = await readFile(path, 'utf8');
    } catch (error) {
      // A service's user may have the environment of the person who types, whose folder is closed to it.
      if (!['ENOENT', 'EACCES', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      return new Contexts(path, { current: null, contexts: {} });
    }
    return new Contexts(path, parsed(text, path));
  }

  get current(): string | null {
    return this.kept.current;
  }

  /** By name. */
  get all(): [string, Context][] {
    return Object.entries(this.kept.contexts).sort(([one], [other]) => (one < other ? -1 : 1));
  }

  /** @throws Failure that names those that there are */
  find(name: string): Context {
    const found = Object.hasOwn(this.kept.contexts, name) ? this.kept.contexts[name] : undefined;
    if (found !== undefined) return found;
    const names = this.all.map(([other]) => other);
    const there = names.length === 0 ? 'there is none yet' : `there is ${names.join(', ')}`;
    throw new Failure(
      `there is no context ${name}; ${there}`,
      EXIT.usage,
      `add it: proctor context add ${name} --url URL`,
    );
  }

  /** The first one is the current one from then on. @throws Failure for a name that cannot be */
  async add(name: string, context: Context): Promise<void> {
    if (!NAME.test(name)) {
      throw new Failure(
        `"${name}" cannot be the name of a context: letters, digits and . _ - only`,
        EXIT.usage,
      );
    }
    this.kept.contexts[name] = context;
    this.kept.current ??= name;
    await this.write();
  }

  async use(name: string): Promise<void> {
    this.find(name);
    this.kept.current = name;
    await this.write();
  }

  async remove(name: string): Promise<void> {
    this.find(name);
    delete this.kept.contexts[name];
    if (this.kept.current === name) this.kept.current = null;
    await this.write();
  }

  /** Whole at every moment, and never open to others. */
  private async write(): Promise<void> {
    await mkdir(join(this.path, '..'), { recursive: true, mode: 0o700 });
    const draft = `${this.path}.${process.pid}`;
    try {
      await writeFile(draft, `${JSON.stringify(this.kept, null, 2)}\n`, { mode: 0o600 });
      await rename(draft, this.path);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** A user without a name and without HOME, as in some containers, has no folder of their own. */
function configurationHome(env: NodeJS.ProcessEnv): string {
  const named = env['XDG_CONFIG_HOME'];
  // What is not absolute counts for nothing: the specification has it so.
  if (named && isAbsolute(named)) return named;
  try {
    return join(homedir(), '.config');
  } catch {
    return '/nonexistent';
  }
}

function parsed(text: string, path: string): Kept {
  const value = jsonIn(text) as Partial<Kept> | null;
  const contexts: unknown = value?.contexts;
  const isUnderstood =
    typeof contexts === 'object' && contexts !== null && Object.values(contexts).every(isContext);
  if (!isUnderstood) {
    throw new Failure(
      `${path} is no list of contexts`,
      EXIT.failed,
      `repair it, or remove it and add the contexts again: rm ${path}`,
    );
  }
  const current = value?.current ?? null;
  return {
    current: current !== null && Object.hasOwn(contexts, current) ? current : null,
    contexts: contexts as Record<string, Context>,
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isContext(value: unknown): value is Context {
  const { url, key } = (value ?? {}) as Partial<Context>;
  return typeof url === 'string' && typeof key === 'string';
}
