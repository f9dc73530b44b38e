import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Architectures } from '../../machine/architectures';
import { RunFolder } from '../../sandbox/run-folder';
import type { SandboxUse } from '../../sandbox/sandbox';
import type { Sandboxes } from '../../sandbox/sandboxes';
import type { HostApt } from '../host-apt/host-apt';
import { MmdebstrapBuilder } from './image-builder';
import { PLAIN } from './image-shape';

const USER = {
  name: 'proctor',
  uid: 1000,
  gid: 1000,
  switched: false,
  opensTun: false,
  subUids: { start: 0, count: 0 },
  subGids: { start: 0, count: 0 },
};
const SECRETS = ['pass-of-the-proxy', 'pass-of-the-archive'];
const SETTINGS = [{ name: 'Acquire::http::Proxy', value: 'http://me:pass-of-the-proxy@proxy.example:3128/' }];
const LINES = ['deb http://me:pass-of-the-archive@mirror.example/debian bookworm main'];

let place: string;
beforeEach(async () => (place = await mkdtemp(join(tmpdir(), 'image-builder-'))));
afterEach(async () => rm(place, { recursive: true, force: true }));

interface Seen {
  command: string[];
  /** Name → mode and text. */
  files: Record<string, [string, string]>;
  stages: [number, string][];
  warnings: string[];
}

/**
 * Builds with an mmdebstrap that says `errors`, and ends with an error when it complains: once `untilStage` was reported, if it is
 * given.
 */
async function build(errors: string, untilStage = 0): Promise<Seen> {
  const observations: Seen = { command: [], files: {}, stages: [], warnings: [] };
  let report = (): void => undefined;
  const isReported = new Promise<void>((resolve) => (report = resolve));
  const onStage = (stage: number, doing: string): void => {
    observations.stages.push([stage, doing]);
    if (stage === untilStage) report();
  };
  const sandboxes = {
    createFolder: (name: string) => RunFolder.create(join(place, 'runs'), name, USER),
    async start(folder: RunFolder, { command }: SandboxUse) {
      observations.command = command;
      for (const name of ['apt.conf', 'sources.list']) {
        const path = join(folder.path, name);
        const mode = ((await stat(path)).mode & 0o777).toString(8);
        observations.files[name] = [mode, await readFile(path, 'utf8')];
      }
      await writeFile(folder.errors, errors);
      const result = { code: /^E:|^W:/m.test(errors) ? 1 : 0 };
      return { ending: untilStage === 0 ? Promise.resolve(result) : isReported.then(() => result) };
    },
  };
  const hostApt = {
    sourcesOf: () => Promise.resolve({ lines: LINES, keys: [] }),
    settings: () => Promise.resolve(SETTINGS),
  };
  const builder = new MmdebstrapBuilder(
    'unshare',
    PLAIN,
    sandboxes as unknown as Sandboxes,
    hostApt as unknown as HostApt,
    { interpretersOf: () => Promise.resolve([]) } as unknown as Architectures,
  );
  const warn = (text: string): void => void observations.warnings.push(text);
  const control = { signal: new AbortController().signal, onStage, warn };
  const target = { image: join(place, 'image.tar'), sourceNames: join(place, 'sources.gz') };
  await builder.build('bookworm', 'amd64', target, control);
  return observations;
}

it('mmdebstrap gets passwords in files that only its user can read, which are removed with the build', async () => {
  const { command, files } = await build('');
  for (const secret of SECRETS) expect(command.join('\n')).not.toContain(secret);
  expect(files['apt.conf']).toEqual([
    '600',
    'Acquire::http::Proxy "http://me:pass-of-the-proxy@proxy.example:3128/";\n',
  ]);
  expect(files['sources.list']).toEqual(['600', `${LINES[0]}\n`]);
  const [, upload = ''] = command;
  const path = /^--setup-hook=upload '(.+)' /.exec(upload)?.[1] ?? '';
  expect(dirname(dirname(path))).toBe(join(place, 'runs'));
  expect(await readdir(join(place, 'runs'))).toEqual([]);
});

it('an image is built also where the packages of its suite cannot be read', async () => {
  const { warnings } = await build('');
  expect(warnings).toEqual([expect.stringMatching(/^which packages its suite has is not known: /)]);
  expect(await readdir(place)).toEqual(['image.tar', 'runs']);
});

it('a build reports its stages, from the messages of mmdebstrap', async () => {
  const output =
    'I: running apt-get update...\ndone\nI: downloading packages with apt...\nI: extracting archives...\n';
  const { stages } = await build(output, 3);
  expect(stages).toEqual([[3, 'unpacking the base system']]);
});

it('no password is quoted when mmdebstrap complains of an address', async () => {
  const complaint = 'E: Failed to fetch http://me:pass-of@the-archive@mirror.example/debian/x@1.deb  404';
  await expect(build(`${complaint}\n`)).rejects.toThrow(
    /^E: Failed to fetch http:\/\/mirror\.example\/debian\/x@1\.deb {2}404$/,
  );
});

it('nothing is quoted of a line whose beginning is not read', async () => {
  const tail = `${'@mirror.example/'.padEnd(4000, 'x')}\nW: the end`;
  const head = 'http://me:pass-of-the-archive';
  const cut = 4096 - Buffer.byteLength(tail) - 'archive'.length;
  expect(cut).toBeGreaterThan(0);
  await expect(build(`${head}${tail}${'\n'.repeat(cut)}`)).rejects.toThrow(/^W: the end$/);
});
