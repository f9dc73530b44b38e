import type { ServerConfiguration } from '@proctor/config';
import type { Home } from '@proctor/embedded';
import type { Finding } from '../doctor/finding';
import type { AdministratorAccess } from './administrator';

/** The address of the service for a browser on this machine. */
export function serviceUrl({ host, port }: Pick<ServerConfiguration, 'host' | 'port'>): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/**
 * The text that `npm start` prints when everything runs, with a command to copy. A new key is printed only on a
 * terminal, because other output is saved as a log. Problems come last, each with its remedy.
 */
export function welcome(
  server: ServerConfiguration,
  home: Home,
  admin: AdministratorAccess,
  { isTerminal, problems = [] }: { isTerminal: boolean; problems?: string[] },
): string {
  const isShown = admin.isNew && isTerminal;
  const url = serviceUrl(server);
  const isWhole = problems.length === 0;
  const lines = [
    `Proctor is ready at ${url}${isWhole ? '' : ' for requests, and cannot run tests here yet: see below'}`,
  ];
  const where = admin.hasPasswordFile
    ? `with the password in ${home.adminPassword} (another: npx proctor user password admin)`
    : 'with the password that was set; set another: npx proctor user password admin';
  lines.push(`Log in at ${url}/user/login as admin, ${where}`);
  if (isShown) lines.push(`The API key of the user admin is ${admin.key} (also in ${home.adminKey})`);
  else if (admin.key) lines.push(`The API key of the user admin is in ${home.adminKey}`);
  else lines.push('The user admin has keys elsewhere; create one: npx proctor key create admin --name TEXT');
  const key = isShown ? admin.key : admin.key ? `$(cat ${home.adminKey})` : 'KEY';
  const path = `/api/v1/test/${server.suites[0]}/${server.architectures[0]}/hello`;
  lines.push('Ask for a test:', `  curl -H "Auth-Key: ${key}" -X POST ${url}${path}`);
  if (!isWhole) lines.push('What does not work:', ...problems);
  return lines.join('\n');
}

/** The findings that keep the worker from running tests, a line each, with the remedy. */
export function problemsIn(findings: Finding[]): string[] {
  return findings
    .filter(({ state }) => state === 'fail')
    .map(
      ({ found: fact, remedy }) =>
        `the worker cannot run all tests: ${fact}${remedy === null ? '' : `: ${remedy}`}`,
    );
}
