import { ConfigurationError } from './yaml-file';
import type { Connections } from './configuration';

/**
 * The addresses of the outside services from the environment; read one by one, since a worker has no database.
 * @throws ConfigurationError when the variable of the service asked for is missing
 */
export function connections(env: NodeJS.ProcessEnv = process.env): Connections {
  const required = (name: string): string => {
    const value = env[name];
    if (!value) throw new ConfigurationError([`${name} is not set: it holds the address of the service`]);
    return value;
  };
  return {
    get databaseUrl() {
      return required('PROCTOR_DATABASE_URL');
    },
    get natsUrl() {
      return required('PROCTOR_NATS_URL');
    },
  };
}
