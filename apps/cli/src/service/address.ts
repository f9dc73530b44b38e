import { EXIT, Failure } from '../failure';
import { type Context, Contexts } from './context-file';

/** Options of every command that uses a service. */
export interface ServiceOptions {
  /** Name of a context, for this command only. */
  context?: string;
}

/** The address of a service, and the key for it. */
export interface ServiceAddress extends Context {
  /** The source of both, in words for people. */
  origin: string;
  /** The file with the key of this machine's own commands; absent if a person supplied the key. */
  keyFile?: string;
}

export const HOW_TO_NAME_ONE =
  'name a service: proctor context add NAME --url URL, or PROCTOR_URL and PROCTOR_API_KEY in the environment';

/**
 * Finds the service that `--context` names, or `PROCTOR_URL` with `PROCTOR_API_KEY`, or `PROCTOR_CONTEXT`, or `proctor
 * context use`.
 * @returns null if no service is named: the command uses this machine's own Proctor
 * @throws Failure if the address or the key is missing
 */
export async function namedService(
  { context }: ServiceOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServiceAddress | null> {
  if (context !== undefined) return ofContext(await Contexts.read(env), context);
  if (env['PROCTOR_URL'] && !isOwnAddress(env)) return ofEnvironment(env['PROCTOR_URL'], env);
  if (env['PROCTOR_CONTEXT']) return ofContext(await Contexts.read(env), env['PROCTOR_CONTEXT']);
  const contexts = await Contexts.read(env);
  return contexts.current === null ? null : ofContext(contexts, contexts.current);
}

/** If a database but no key is set, `PROCTOR_URL` is the address of the services of this machine. */
function isOwnAddress(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env['PROCTOR_DATABASE_URL']) && !env['PROCTOR_API_KEY'];
}

/**
 * Whether the command uses the service of this machine, so that it may also use its database. @throws Failure as
 * namedService()
 */
export async function isOwnMachine(options: ServiceOptions): Promise<boolean> {
  return (await namedService(options)) === null;
}

/**
 * Whether the command uses the service of this machine with a database that was set up by hand. Such a database may
 * have no administrator yet. @throws Failure as namedService()
 */
export async function hasOwnDatabase(options: ServiceOptions): Promise<boolean> {
  return Boolean(process.env['PROCTOR_DATABASE_URL']) && (await isOwnMachine(options));
}

/**
 * Whether the command uses the service of this machine and changes the accounts of its nats-server in a file. @throws
 * Failure as namedService()
 */
export async function hasOwnAccounts(options: ServiceOptions): Promise<boolean> {
  return Boolean(process.env['PROCTOR_NATS_USERS']) && (await isOwnMachine(options));
}

/** @throws Failure if the text is no address of a service */
export function readServiceUrl(text: string, what: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain && (url.protocol === 'http:' || url.protocol === 'https:'))
    return url.href.replace(/(?<!\/)\/+$/, '');
  throw new Failure(`${what} must be http://HOST:PORT or https://HOST, not "${text}"`, EXIT.usage);
}

/** The error for a user who may not read the home. */
export function closedHome(path: string, cause: unknown): Failure {
  const advice = `type it as the user of the services (runuser -u proctor -- proctor …), or ${HOW_TO_NAME_ONE}`;
  return new Failure(`no service is named, and ${path} belongs to another user`, EXIT.key, advice, { cause });
}

function ofContext(contexts: Contexts, name: string): ServiceAddress {
  return { ...contexts.find(name), origin: `context ${name}` };
}

function ofEnvironment(url: string, env: NodeJS.ProcessEnv): ServiceAddress {
  const key = env['PROCTOR_API_KEY'];
  if (!key) throw new Failure('PROCTOR_API_KEY is not set, but PROCTOR_URL is', EXIT.key, HOW_TO_NAME_ONE);
  const origin = 'PROCTOR_URL and PROCTOR_API_KEY';
  return { url: readServiceUrl(url, 'PROCTOR_URL'), key, origin };
}
