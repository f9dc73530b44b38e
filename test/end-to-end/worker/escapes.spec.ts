import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@test/support/until';
import { newMark, processesWith } from './processes-with';
import { prepareImage } from '@test/support/worker-images';
import { leaseOfTree, openMachine, sourceTree, storedLog, type TestMachine } from './test-machine';

const MIB = 1024 ** 2;
const SECRET = 'nats://worker:open-sesame@127.0.0.1:4222';
const never = new AbortController().signal;

let machine: TestMachine;
prepareImage();
beforeAll(async () => {
  process.env['PROCTOR_NATS_CREDENTIALS'] = SECRET;
  machine = await openMachine({
    runTmpfsBytes: 900 * MIB,
    environment: { GREETING: "to $(id) & 'all'".replaceAll("'", '') },
  });
});
afterAll(async () => {
  delete process.env['PROCTOR_NATS_CREDENTIALS'];
  await machine?.close();
});

async function runTree(script: string, restrictions = '') {
  const tree = await sourceTree(machine.workPath, script, restrictions);
  const result = await machine.runner.run(leaseOfTree(tree), () => undefined, never);
  return { result, log: await storedLog(result) };
}

/** What another run and a kept result look like from within a run. */
async function plant(): Promise<void> {
  for (const folder of ['runs/99-1/out', 'results/98-1']) {
    await mkdir(join(machine.workPath, folder), { recursive: true });
    await writeFile(join(machine.workPath, folder, 'planted'), 'a word of another run\n');
  }
}

it('a test that leaves its testbed finds no other run, no result, no process and no word of the worker', async () => {
  await plant();
  const script = `#!/usr/bin/python3
import os, subprocess
print('greeted', os.environ['GREETING'])
print('asks', open('/etc/resolv.conf').read())
os.mkdir('/cell')
root = os.open('/', os.O_RDONLY)
os.chroot('/cell')
os.fchdir(root)
for _ in range(60):
    os.chdir('..')
os.chroot('.')
print('outside', os.path.isdir('${machine.workPath}'))
for folder in ('runs', 'results'):
    path = '${machine.workPath}/' + folder
    print(folder, 'unmounted', subprocess.run(['umount', path], capture_output=True).returncode == 0)
    print(folder, 'holds', sorted(os.listdir(path)))
    for name, _, files in os.walk(path):
        if 'planted' in files: print(open(name + '/planted').read())
for pid in filter(str.isdigit, os.listdir('/proc')):
    for file in ('cmdline', 'environ'):
        try: print(pid, file, open('/proc/' + pid + '/' + file).read().replace(chr(0), ' '))
        except OSError as error: print(pid, file, error.strerror)
try: os.kill(${process.pid}, 9)
except OSError as error: print('kill', error.strerror)
`;
  const { result, log } = await runTree(script, 'needs-root');
  expect({ verdict: result.verdict, log: result.verdict === 'pass' ? '' : log }).toEqual({
    verdict: 'pass',
    log: '',
  });
  expect(log).toContain('greeted to $(id) & all');
  expect(log).toContain('asks nameserver 10.0.2.3');
  expect(log).toContain('outside True');
  expect(log).toMatch(/^runs unmounted False\nruns holds \['\d+-1-\d+'\]$/m);
  expect(log).toContain('results unmounted False\nresults holds []\n');
  expect(log).not.toContain('a word of another run');
  expect(log).toMatch(/^\d+ environ .*GREETING/m);
  expect(log).not.toContain('open-sesame');
  expect(log).not.toContain('jest');
  expect(log).toContain('kill No such process');
});

it('a test that kills all that it can reaches nothing but itself', async () => {
  const mark = newMark();
  const abort = new AbortController();
  const sleeper = await sourceTree(machine.workPath, `#!/bin/sh\nsleep ${mark}\n`);
  const beside = machine.runner.run(leaseOfTree(sleeper), () => undefined, abort.signal);
  const rejection = expect(beside).rejects.toThrow('enough');
  try {
    expect(await until(() => Promise.resolve(processesWith(mark).length > 0))).toBe(true);
    const { result } = await runTree('#!/bin/sh\nkill -KILL -1\nexit 1\n', 'needs-root');
    expect(['fail', 'tmpfail']).toContain(result.verdict);
    expect(processesWith(mark)).not.toEqual([]);
  } finally {
    abort.abort(new Error('enough'));
    await rejection;
  }
  expect(processesWith(mark)).toEqual([]);
});

it('a test that fills its file space ran into a limit, which is neither a fail nor tried again', async () => {
  const { result } = await runTree(
    '#!/bin/sh\ndd if=/dev/zero of=/var/tmp/hog bs=1M count=4096 2>/dev/null\n',
  );
  expect(result).toMatchObject({ verdict: 'tmpfail', exitCode: 4, trouble: 'limit' });
  expect(result.message).toBe(
    "it used up its 900 MiB of file space, the worker's limit (at least one test failed)",
  );
});

/** What a command of a sandbox writes to standard output, and how it ends. */
async function outputOf(command: string[], interpreters?: string[]) {
  const folder = await machine.sandboxes.createFolder('output');
  const output = await open(join(folder.output, 'said'), 'w');
  try {
    const use = { command, network: 'private', tmpfsBytes: MIB, output: output.fd } as const;
    const sandbox = await machine.sandboxes.start(folder, { ...use, ...(interpreters && { interpreters }) });
    const { code } = await sandbox.ending;
    return { code, said: await readFile(join(folder.output, 'said'), 'utf8'), folder };
  } finally {
    await output.close();
    await folder.remove();
  }
}

it('a command has its own three files open and no others', async () => {
  const { said, folder } = await outputOf([
    'sh',
    '-c',
    'for file in /proc/$$/fd/*; do readlink "$file"; done',
  ]);
  expect(said.trimEnd().split('\n')).toEqual(['/dev/null', join(folder.output, 'said'), folder.errors]);
});

it('a command has no right but to the ids of its user, and the processes of its sandbox alone', async () => {
  const { said } = await outputOf([
    'sh',
    '-c',
    'grep -E "^(Cap(Inh|Prm|Eff|Amb)|SigIgn)" /proc/self/status; ls /proc | grep -c "^[0-9]"',
  ]);
  const rights = ['Inh', 'Prm', 'Eff', 'Amb'].map((set) => `Cap${set}:\t00000000000000c0`);
  const [ignored, ...rest] = said.trimEnd().split('\n');
  expect([ignored, ...rest.slice(0, -1)]).toEqual(['SigIgn:\t0000000000000000', ...rights]);
  expect(Number(rest.at(-1))).toBeLessThan(6);
});

it('a sandbox with interpreters of its own has a network, where the worker may register them', async () => {
  const script = 'cp /bin/sh "$TMPDIR/a.proctor" && "$TMPDIR/a.proctor" && ls /sys/class/net';
  const attempt = outputOf(['sh', '-c', script], [':proctor-test:E::proctor::/bin/true:']);
  if (!machine.sandboxes.runsAsRoot) return expect(attempt).rejects.toThrow();
  expect(await attempt).toMatchObject({ code: 0 });
});
