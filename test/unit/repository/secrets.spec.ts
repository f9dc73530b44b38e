import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const project = join(__dirname, '../../..');

/** What a secret looks like wherever it stands; an example in a document says so by its words. */
const SECRETS: Record<string, RegExp> = {
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----\s+[A-Za-z0-9+/=:\s]{60}/,
  'a seed of an nkey': /\bS[UAONXC][A-Z2-7]{56}\b/,
  'an API key of Proctor': /\bpk_[0-9a-f]{56}\b/,
  'an AWS access key': /\b(AKIA|ASIA)[0-9A-Z]{16}\b/,
  'a token of GitHub': /\bgh[pousr]_[A-Za-z0-9]{36}\b/,
  'a password in an address':
    /\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@'"`${}<>]+:(?<password>[^\s:/@'"`${}<>]+)@(?<host>[\w.-]+)/,
};

/** Hosts at which no secret counts: a machine's own, and names reserved by RFC 2606 and RFC 6761. */
const NO_HOST =
  /^(localhost|127\.\d+\.\d+\.\d+|postgres|nats|[\w-]+|.*\.(example|test|invalid)|(.*\.)?example\.(com|org|net))$/;

/** A key that is too regular to be random. */
const EXAMPLE = /^pk_(0123456789abcdef)+/;

/** What of a text is a secret. */
function secretsIn(text: string): string[] {
  return Object.entries(SECRETS).flatMap(([what, pattern]) =>
    [...text.matchAll(new RegExp(pattern, 'g'))]
      .filter(([match]) => !EXAMPLE.test(match))
      .filter(({ groups }) => groups?.['host'] === undefined || !NO_HOST.test(groups['host']))
      .map(([match]) => `${what}: ${match.slice(0, 12)}…`),
  );
}

it('no file of the repository holds a secret', () => {
  const names = execFileSync('git', ['ls-files', '-z'], { cwd: project, encoding: 'utf8' });
  const files = names
    .split('\0')
    .filter((name) => name !== '')
    .flatMap((name) => secretsIn(textOf(name)).map((what) => `${name}: ${what}`));
  expect(files).toEqual([]);
});

it.each([
  ['a private key', `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQ'.repeat(3)}`],
  ['a seed of an nkey', `SU${'AB'.repeat(28)}`],
  ['an API key of Proctor', `pk_${'0a'.repeat(28)}`],
  ['a password in an address', ['postgres://proctor', 'hunter2@db.debian.net/proctor'].join(':')],
])('%s would be found', (what, text) => {
  expect(secretsIn(`key: ${text}\n`)).toEqual([expect.stringContaining(what)]);
});

/** Empty where the work tree has no such file. */
function textOf(name: string): string {
  try {
    return readFileSync(join(project, name), 'utf8');
  } catch (error) {
    if (['ENOENT', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
