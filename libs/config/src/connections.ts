import { ConfigurationError } from './yaml-file';
import type { Connections } from './configuration';

/**
 * The outside services, from the environment; each is read when it is used, since a worker has no database.
 * @throws ConfigurationError when the variable of the service is missing
 */
export function connections(env: NodeJS.ProcessEnv = process.env): Connections {
  const required = (name: string, what = 'the address of the service'): string => {
    const value = env[name];
    if (!value) throw new ConfigurationError([`${name} is not set: it holds ${what}`]);
    return value;
  };
  return {
    get databaseUrl() {
      const url = required('PROCTOR_DATABASE_URL');
      if (isPostgresUrl(url)) return url;
      // The address holds a password.
      throw new ConfigurationError([
        'PROCTOR_DATABASE_URL is no postgres://user:password@host:port/database; what is special in a URL is written as %XX, several host:port are separated by commas',
      ]);
    },
    get natsCredentials() {
      return required('PROCTOR_NATS_CREDENTIALS', "the path of this process's credentials file for NATS");
    },
    get storeCredentials() {
      const what = 'what the S3 server of the store asks for';
      return {
        accessKeyId: required('PROCTOR_S3_ACCESS_KEY_ID', what),
        secretAccessKey: required('PROCTOR_S3_SECRET_ACCESS_KEY', what),
      };
    },
  };
}

function isPostgresUrl(text: string): boolean {
  try {
    decodeURIComponent(text);
    // pg reads the address of a socket, which has no host, in the same way.
    const [, before = '', hosts = '', after = ''] =
      /^([^@/?]*:\/\/(?:[^@/?]*@)?)([^@/?]*)(.*)/s.exec(text.replace('@/', '@socket/')) ?? [];
    return hosts
      .split(',')
      .every((host) => host !== '' && /^postgres(ql)?:$/.test(new URL(`${before}${host}${after}`).protocol));
  } catch {
    return false;
  }
}
