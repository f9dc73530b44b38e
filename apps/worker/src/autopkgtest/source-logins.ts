import type { TestRequest } from '@proctor/contracts';
import { UnsafeRequest } from './unsafe-request';

/** An address with a login: scheme, user, password, host, path. The last @ of the authority ends the password. */
const WITH_LOGIN = /(?<![a-z0-9+-])([a-z0-9+-]+:\/\/)([^\s/:]*)(?::([^\s/]*))?@([^\s/@\]]+)([^\s\]]*)/gi;

/**
 * The apt lines of a request's extra sources without their users and passwords, which a command line, and with it the
 * log, would show to every reader; and the logins as lines of apt_auth.conf(5).
 * @throws UnsafeRequest when a login cannot be written in that format
 */
export function sourceLogins({ extraAptSources }: Pick<TestRequest, 'extraAptSources'>): {
  lines: string[];
  logins: string[];
} {
  const logins: string[] = [];
  const lines = extraAptSources.flatMap((source) =>
    source.lines.map((line) =>
      line.replace(
        WITH_LOGIN,
        (_all, scheme: string, user: string, password: string | undefined, host: string, path: string) => {
          const words = [user, password ?? ''].map(decode);
          if (!words.every((word) => word !== null && /^[^\s#]*$/.test(word))) {
            throw new UnsafeRequest(
              `the user or password of the extra source ${source.name} cannot be passed to apt`,
            );
          }
          const [login, secret] = words;
          logins.push(`machine ${scheme}${host}${path} login ${login}${secret ? ` password ${secret}` : ''}`);
          return `${scheme}${host}${path}`;
        },
      ),
    ),
  );
  return { lines, logins: [...new Set(logins)] };
}

/** Null when the text is not percent-encoded correctly. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
