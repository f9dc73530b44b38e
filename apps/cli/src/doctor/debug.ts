import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { arch, cpus, release, tmpdir, totalmem } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Configuration, LiveConfiguration } from '@proctor/config';
import { Home, lastLines, runCommand } from '@proctor/embedded';
import { VERSION } from '@proctor/process';
import { create } from 'tar';
import { configurationFolder, readConfiguration } from '../configuration';
import { printNotice } from '../output/print';
import { projectFolder } from '../project';
import { Service } from '../service/service';
import { examine, lineOf } from './doctor';
import { hideSecrets, knownSecrets } from './secrets';

/** Lines from the end of each log. */
const LOG_LINES = 500;
const ANSWER_MS = 5_000;
/** The systemd units that the packages install. */
const UNITS = 'proctor-*';

/** A file of the archive. If its content cannot be read, the reason is written instead. */
interface Part {
  name: string;
  read: () => Promise<string>;
}

/** Writes an archive of what helps to find a fault, without the secrets that this machine has. */
export async function debug(file: string): Promise<void> {
  const home = await Home.findHome(process.env, projectFolder());
  const configuration = await readConfiguration().catch(() => null);
  const secrets = await knownSecrets(home, configuration, process.env);
  const work = await mkdtemp(join(tmpdir(), 'proctor-debug-'));
  try {
    const top = join(work, 'proctor-debug');
    await mkdir(top);
    for (const { name, read } of partsOf(home, configuration)) {
      printNotice(`collecting ${name}`);
      const text = await read().catch((error: unknown) => `not to be had: ${String(error)}\n`);
      await writeFile(join(top, name), hideSecrets(text, secrets));
    }
    await pack(top, resolve(file));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  printNotice(
    `${resolve(file)} is written. It names packages (also of private runs), users and machines: read it before you send it`,
  );
}

/** Packs the folder. Only the owner may read the archive, even if the file existed and others could read it. */
async function pack(folder: string, file: string): Promise<void> {
  const archive = await open(file, 'w', 0o600);
  // The stream closes the file, even after an error.
  const output = archive.createWriteStream();
  await archive.chmod(0o600);
  const packed = create({ gzip: true, cwd: dirname(folder), portable: true }, [basename(folder)]);
  await pipeline(packed, output);
}

function partsOf(home: Home, configuration: Configuration | null): Part[] {
  const service = (path: string) => async () => json(await (await Service.find({})).request(path));
  const ports = configuration ? [configuration.server.metrics, configuration.scheduler.metrics] : [];
  return [
    { name: 'about.json', read: about },
    {
      name: 'doctor.txt',
      read: async () => (await examine({ worker: true })).map((each) => `${lineOf(each)}\n`).join(''),
    },
    { name: 'settings.json', read: settings },
    { name: 'health.json', read: async () => answerOf(`${(await Service.find({})).address.url}/health`) },
    { name: 'queues.json', read: service('/queues') },
    { name: 'workers.json', read: service('/workers') },
    ...ports.flatMap(({ host, port }, index) =>
      port === 0
        ? []
        : ['health', 'metrics'].map((what) => ({
            name: `${['api', 'scheduler'][index]}.${what}.txt`,
            read: () => answerOf(`http://${host}:${port}/${what}`),
          })),
    ),
    { name: 'nats.log', read: () => endOf(join(home.nats, 'server.log')) },
    { name: 'postgresql.log', read: () => endOf(join(home.postgresql, 'server.log')) },
    { name: 'journal.log', read: journal },
  ];
}

function about(): Promise<string> {
  const { version, platform } = process;
  const machine = { kernel: release(), arch: arch(), processors: cpus().length, memoryBytes: totalmem() };
  const at = new Date().toISOString();
  return Promise.resolve(json({ proctor: VERSION, node: version, platform, ...machine, at }));
}

/** The settings as administrators see them: each value with its source, and without hidden values. */
async function settings(): Promise<string> {
  const parts = ['server', 'store', 'scheduler', 'worker', 'extraAptSources', 'rejectList'] as const;
  const env = { ...process.env, PROCTOR_CONFIG: configurationFolder() };
  return json((await LiveConfiguration.load(parts, env)).settings);
}

async function answerOf(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
  return `${response.status}\n${await response.text()}`;
}

async function endOf(file: string): Promise<string> {
  return `${lastLines(await readFile(file, 'utf8'), LOG_LINES)}\n`;
}

/** The last lines of the logs of the systemd units. `npm start` writes to its own terminal instead. */
function journal(): Promise<string> {
  return runCommand('journalctl', ['--no-pager', '--lines', String(LOG_LINES), '--unit', UNITS]);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
