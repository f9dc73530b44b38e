import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { EXIT, Failure } from '../failure';

/** A service that a person uses, under a name that they chose. */
export interface Context {
  /** The address of the service, without a slash at its end. */
  url: string;
  /** An API key. */
  key: string;
}

interface ContextsFile {
  current: string | null;
  contexts: Record<string, Context>;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
/** Mask of the permission bits of everybody except the owner. */
const FOR_OTHERS = 0o077;

/** The services of one person, with their keys. Only this person may read the file. */
export class Contexts {
  private constructor(
    readonly path: string,
    private readonly content: ContextsFile,
  ) {}

  /** @throws Failure if the file is not valid, or others may read it */
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
      // A service user may have inherited the environment of the person who types the command, and may not open that
      // person's folder.
      if (!['ENOENT', 'EACCES', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      return new Contexts(path, { current: null, contexts: {} });
    }
    return new Contexts(path, parsed(text, path));
  }

  get current(): string | null {
    return this.content.current;
  }

  /** All contexts, sorted by name. */
  get all(): [string, Context][] {
    return Object.entries(this.content.contexts).sort(([one], [other]) => (one < other ? -1 : 1));
  }

  /** @throws Failure with the existing names, if there is no such context */
  find(name: string): Context {
    const context = Object.hasOwn(this.content.contexts, name) ? this.content.contexts[name] : undefined;
    if (context !== undefined) return context;
    const names = this.all.map(([other]) => other);
    const there = names.length === 0 ? 'there is none yet' : `there is ${names.join(', ')}`;
    throw new Failure(
      `there is no context ${name}; ${there}`,
      EXIT.usage,
      `add it: proctor context add ${name} --url URL`,
    );
  }

  /** Saves a context. The first one becomes the current one. @throws Failure if the name is not valid */
  async add(name: string, context: Context): Promise<void> {
    if (!NAME.test(name)) {
      throw new Failure(
        `"${name}" cannot be the name of a context: letters, digits and . _ - only`,
        EXIT.usage,
      );
    }
    this.content.contexts[name] = context;
    this.content.current ??= name;
    await this.write();
  }

  async use(name: string): Promise<void> {
    this.find(name);
    this.content.current = name;
    await this.write();
  }

  async remove(name: string): Promise<void> {
    this.find(name);
    delete this.content.contexts[name];
    if (this.content.current === name) this.content.current = null;
    await this.write();
  }

  /** Replaces the file in one step; others can never read it. */
  private async write(): Promise<void> {
    await mkdir(join(this.path, '..'), { recursive: true, mode: 0o700 });
    const draft = `${this.path}.${process.pid}`;
    try {
      await writeFile(draft, `${JSON.stringify(this.content, null, 2)}\n`, { mode: 0o600 });
      await rename(draft, this.path);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** A user without a name and without HOME, as in some containers, has no such folder. */
function configurationHome(env: NodeJS.ProcessEnv): string {
  const folder = env['XDG_CONFIG_HOME'];
  // The specification says that a path that is not absolute is ignored.
  if (folder && isAbsolute(folder)) return folder;
  try {
    return join(homedir(), '.config');
  } catch {
    return '/nonexistent';
  }
}

function parsed(text: string, path: string): ContextsFile {
  const value = jsonIn(text) as Partial<ContextsFile> | null;
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
