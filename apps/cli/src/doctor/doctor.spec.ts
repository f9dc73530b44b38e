import { EXIT, Failure } from '../failure';
import { lineOf } from './doctor';
import { fail, findingsOf, ok, warn } from './finding';
import { workerFindings } from './machine';
import { hideSecrets } from './secrets';

it('a finding is one line, and ends with the one thing to do', () => {
  expect(lineOf(ok('schema', 'up to date'))).toBe('ok    schema: up to date');
  expect(lineOf(warn('store', '5 % free', 'free space'))).toBe('warn  store: 5 % free → free space');
  expect(lineOf(fail('schema', 'it is old', 'proctor migrate'))).toBe(
    'fail  schema: it is old → proctor migrate',
  );
});

it('a look that fails is a finding of one line, with the advice of the failure', async () => {
  const broken = (error: Error) => findingsOf('nats', 'start it', () => Promise.reject(error));
  expect(await broken(new Error('first\nsecond'))).toEqual([fail('nats', 'first', 'start it')]);
  expect(await broken(new Failure('no', EXIT.failed, 'do that'))).toEqual([fail('nats', 'no', 'do that')]);
});

it('of a worker that is reported which is configured: backends with the command that helps, old images, variants', () => {
  const day = 86_400_000;
  const findings = workerFindings(
    {
      backends: [
        { name: 'unshare', isConfigured: true, problem: null, images: [{ builtAt: 0, suite: 'sid' }] },
        {
          name: 'lxc',
          isConfigured: true,
          problem: 'lxc is missing. As root, type:\n  apt-get install lxc',
          images: [],
        },
        { name: 'qemu', isConfigured: false, problem: 'no kvm', images: [] },
      ],
      architectures: [{ name: 'arm64', isServed: true, problem: 'no emulator' }],
      variants: [{ name: 'newest', program: '/opt/new', isExecutable: false }],
    },
    day,
    3 * day,
  );
  expect(findings.map(lineOf)).toEqual([
    'ok    worker: backend unshare works',
    'fail  worker: backend lxc: lxc is missing. As root, type: → apt-get install lxc',
    "warn  worker: the image of sid for unshare is old → read the worker's log: why is it not built again?",
    'fail  worker: arm64: no emulator → proctor worker check',
    'fail  worker: variant newest: /opt/new cannot be executed → correct variants in worker.yaml',
  ]);
});

it('a secret is hidden as it is, in JSON and in an address, and so is the password of any address', () => {
  const secret = 'p"a/ss wörd';
  const text = `${secret} ${JSON.stringify({ secret })} ${encodeURIComponent(secret)} postgres://u:other@h/d`;
  const safeText = hideSecrets(text, [secret]);
  expect(safeText).toBe('[hidden] {"secret":"[hidden]"} [hidden] postgres://u:[hidden]@h/d');
});
