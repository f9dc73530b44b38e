import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { knownVariables } from '@test/support/variables';

const run = promisify(execFile);
const project = join(__dirname, '../../..');
/** Every variable that the code reads. */
const variables = knownVariables();
const folder = join(project, 'deploy/systemd');
const UNITS = readdirSync(folder).filter((name) => /\.(service|socket|timer)$/.test(name));
const SERVICES = UNITS.filter((name) => name.endsWith('.service'));

/** Tenths of what `systemd-analyze security` calls the exposure: 100 is everything. */
const EXPOSURE_MAX: Record<string, number> = {
  'proctor-api.service': 15,
  'proctor-scheduler.service': 15,
  'proctor-migrate.service': 15,
  'proctor-nats.service': 15,
  // Root that reads the files of all, and writes to its own folder alone.
  'proctor-backup.service': 30,
  // Root that makes namespaces, mounts and control groups.
  'proctor-worker.service': 90,
};

const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');

describe.each(SERVICES)('%s', (name) => {
  const text = textOf(name);

  it(`the program that ${name} starts exists, and the settings that it gives are known`, () => {
    const program = /^ExecStart=\S+(?: --\S+)*(?: dist\/(apps\/\w+\/src\/main)\.js)?/m.exec(text)?.[1];
    if (name !== 'proctor-nats.service') expect(existsSync(join(project, `${program}.ts`))).toBe(true);
    const names = [...text.matchAll(/\b(PROCTOR_[A-Z_]+)\b/g)].map(([, variable]) => variable);
    expect(names.filter((variable) => !variables.has(variable!))).toEqual([]);
  });

  it(`a crash of ${name} leaves no secret on disk`, () => expect(text).toMatch(/^LimitCORE=0(:infinity)?$/m));
});

// Where systemd is there.
if (existsSync('/usr/bin/systemd-analyze')) {
  it('systemd-analyze has nothing to say against the units', async () => {
    const copy = await mkdtemp(join(tmpdir(), 'proctor-units-'));
    try {
      await cp(folder, copy, { recursive: true });
      for (const name of UNITS) {
        const text = await readFile(join(copy, name), 'utf8');
        // These programs need not be on the machine of the tests.
        const here = text.replace(/\/usr\/(bin\/node|sbin\/nats-server)/g, process.execPath);
        await writeFile(join(copy, name), here);
      }
      const { stdout, stderr } = await run(
        'systemd-analyze',
        ['verify', ...UNITS.map((name) => join(copy, name))],
        { env: { ...process.env, SYSTEMD_LOG_LEVEL: 'warning' } },
      );
      expect(`${stdout}${stderr}`).toBe('');
    } finally {
      await rm(copy, { recursive: true });
    }
  });

  it.each(SERVICES)('%s is as closed as it can be', async (name) => {
    const threshold = `--threshold=${EXPOSURE_MAX[name]}`;
    // It ends with another code than 0 above the threshold.
    const args = ['security', '--offline=true', '--no-pager', threshold, join(folder, name)];
    await expect(run('systemd-analyze', args)).resolves.toBeDefined();
  });
}
