import { EXIT, Failure } from '../failure';
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

export const HOW_TO_NAME_ONE =
  'name a service: proctor context add NAME --url URL, or PROCTOR_URL and PROCTOR_API_KEY in the environment';

/**
 * The service that somebody named: by `--context`, by `PROCTOR_URL` and `PROCTOR_API_KEY`, by `PROCTOR_CONTEXT`, or with
 * `proctor context use`.
 * @returns null when nothing is named: this machine's own Proctor is meant
 * @throws Failure when what is named is not complete
 */
export async function namedService(
  { context }: ServiceOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServiceAddress | null> {
  if (context !== undefined) return ofContext(await Contexts.read(env), context);
  if (env['PROCTOR_URL'] && !saysOwnAddress(env)) return ofEnvironment(env['PROCTOR_URL'], env);
  if (env['PROCTOR_CONTEXT']) return ofContext(await Contexts.read(env), env['PROCTOR_CONTEXT']);
  const contexts = await Contexts.read(env);
  return contexts.current === null ? null : ofContext(contexts, contexts.current);
}

/** Beside a database and without a key, `PROCTOR_URL` is where the services of this machine are reached. */
function saysOwnAddress(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env['PROCTOR_DATABASE_URL']) && !env['PROCTOR_API_KEY'];
}

/**
 * The same, else the service of this machine.
 * @throws Failure when there is none either
 */
export async function findService(
  options: ServiceOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServiceAddress> {
  const named = await namedService(options, env);
  if (named !== null) return named;
  const { ownService } = await import('./own-service');
  return ownService(env);
}

/** @throws Failure when it is no address of a service */
export function readServiceUrl(text: string, what: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain && (url.protocol === 'http:' || url.protocol === 'https:'))
    return url.href.replace(/(?<!\/)\/+$/, '');
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
