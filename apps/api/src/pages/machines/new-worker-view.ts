import { isIP } from 'node:net';
import type { NewCredentials } from '@proctor/resources';

const FOLDER = '/etc/proctor-worker';

/** A step on the machine: commands for a shell of root. */
interface Step {
  title: string;
  commands: string;
  /** What the button copies, such as `the configuration`. */
  subject: string;
}

/** What an administrator types on a new machine, in order. The second step has the secret of the worker. */
export function newWorkerView(
  { worker, credentials, notice }: Pick<NewCredentials, 'worker' | 'credentials' | 'notice'>,
  architectures: string[],
) {
  const steps: Step[] = [
    {
      title: 'Install the packages of Proctor',
      commands: 'apt install ./proctor_*.deb ./proctor-worker_*.deb',
      subject: 'the command',
    },
    {
      title: `Write its credentials to ${FOLDER}/credentials.json`,
      commands: [
        `install -d -m 755 ${FOLDER}`,
        fileOf('credentials.json', '600', JSON.stringify(credentials, null, 2)),
      ].join('\n'),
      subject: 'the credentials',
    },
    {
      title: `Write its configuration to ${FOLDER}/worker.yaml`,
      commands: fileOf(
        'worker.yaml',
        '644',
        `name: ${JSON.stringify(worker)}\narchitectures: ${JSON.stringify(architectures)}`,
      ),
      subject: 'the configuration',
    },
    {
      title: 'Check what the machine can do',
      commands: 'proctor worker check',
      subject: 'the command',
    },
    { title: 'Start', commands: 'systemctl enable --now proctor-worker', subject: 'the command' },
  ];
  const { url } = credentials;
  return { steps, notice, url, isLoopback: isLoopbackUrl(url) };
}

/** Writes a file from the shell. */
function fileOf(name: string, mode: string, text: string): string {
  return `install -m ${mode} /dev/stdin ${FOLDER}/${name} <<'END'\n${text}\nEND`;
}

/** Whether no other machine reaches NATS at this address: one of its servers is the machine itself. */
export function isLoopbackUrl(url: string): boolean {
  return url.split(',').some((each) => {
    if (!URL.canParse(each)) return false;
    const host = new URL(each).hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) === 4) return host.startsWith('127.') || host === '0.0.0.0';
    return host === 'localhost' || host === '::1' || host === '::';
  });
}
