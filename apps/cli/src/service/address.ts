import { readFile } from 'node:fs/promises';
import { EXIT, Failure } from '../failure';
import { projectFolder } from '../project';
import { type Context, Contexts } from './contexts';

/** What every command takes that speaks to a service. */
export interface ServiceOptions {
  /** Name of a context, for this command alone. */
  context?: string;
}

/** Where the service is, and the key for it. */
export interface ServiceAddress extends Context {
  /** Where both are kept, for people. */
  origin: string;
}

const HOW_TO_NAME_ONE =
  'name a service: proctor context add NAME --url URL, or PROCTOR_URL and PROCTOR_API_KEY in the environment';

/**
 * The service that somebody named: by `--context`, by `PROCTOR_URL` and `PROCTOR_API_KEY`, by `PROCTOR_CONTEXT`, or with
 * `proctor context use`, which counts only where the environment names nothing of this machine.
 * @returns null when nothing is named: this machine's own Proctor is meant
 * @throws Failure when what is named is not complete
 */
export async function namedService(
  { context }: ServiceOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServiceAddress | null> {
  if (context !== undefined) return ofContext(await Contexts.read(env), context);
  if (env['PROCTOR_URL']) return ofEnvironment(env['PROCTOR_URL'], env);
  if (env['PROCTOR_CONTEXT']) return ofContext(await Contexts.read(env), env['PROCTOR_CONTEXT']);
  if (env['PROCTOR_HOME'] || env['PROCTOR_DATABASE_URL']) return null;
  const contexts = await Contexts.read(env);
  return contexts.current === null ? null : ofContext(contexts, contexts.current);
}

/**
 * The same, else the Proctor that runs on this machine's home.
 * @throws Failure when there is none either
 */
export async function findService(
  options: ServiceOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServiceAddress> {
  return (await namedService(options, env)) ?? (await ofHome(env));
}

/** @throws Failure when it is no address of a service */
export function readServiceUrl(text: string, what: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href.replace(/\/+$/, '');
  throw new Failure(`${what} must be http://HOST:PORT or https://HOST, not "${text}"`, EXIT.usage);
}

function ofContext(contexts: Contexts, name: string): ServiceAddress {
  return { ...contexts.find(name), origin: `context ${name}` };
}

function ofEnvironment(url: string, env: NodeJS.ProcessEnv): ServiceAddress {
  const key = env['PROCTOR_API_KEY'];
  if (!key) throw new Failure('PROCTOR_API_KEY is not set, but PROCTOR_URL is', EXIT.key, HOW_TO_NAME_ONE);
  return { url: readServiceUrl(url, 'PROCTOR_URL'), key, origin: 'PROCTOR_URL and PROCTOR_API_KEY' };
}

async function ofHome(env: NodeJS.ProcessEnv): Promise<ServiceAddress> {
  const { Home, HomeLock } = await import('@proctor/embedded');
  const home = await Home.find(env, projectFolder());
  const holder = await HomeLock.holder(home.lock);
  if (holder === null) {
    throw new Failure(
      `no service is named, and Proctor does not run on ${home.path}`,
      EXIT.tryLater,
      `start it (npm start), or ${HOW_TO_NAME_ONE}`,
    );
  }
  const key = env['PROCTOR_API_KEY'] || (await keyIn(home.adminKey));
  return { url: holder.url, key, origin: home.adminKey };
}

async function keyIn(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EACCES') throw error;
    const why = code === 'EACCES' ? 'belongs to another user' : 'is not there';
    const advice = 'make a key (proctor key create admin --name cli) and say it in PROCTOR_API_KEY';
    throw new Failure(`${path} ${why}`, EXIT.key, advice, { cause: error });
  }
}
