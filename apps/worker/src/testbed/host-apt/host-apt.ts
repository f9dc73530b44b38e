import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hostRelease } from '@proctor/config';
import { parseDeb822, parseOneLine, type AptEntry } from './apt-entries';
import { neededSettings, type AptSetting } from './apt-settings';
import { suiteSources, type SuiteSources } from './suite-sources';

const execute = promisify(execFile);

/** The machine's own apt: its mirrors and how to reach them. Read again at each use. */
export class HostApt {
  /**
   * `configured`: suite → apt lines that replace those of the machine. `keysPath`: folder for keys that are part of the
   * machine's sources.
   */
  constructor(
    private readonly configured: Record<string, string[]>,
    private readonly keysPath: string,
    private readonly folder = '/etc/apt',
  ) {}

  /** @throws Error with what to configure, when the machine has no sources for the suite */
  async sourcesOf(suite: string): Promise<SuiteSources> {
    const lines = Object.hasOwn(this.configured, suite) ? this.configured[suite] : undefined;
    if (lines) return { lines, keys: [] };
    const sources = suiteSources(await this.entries(), hostRelease(), suite, this.keysPath);
    if (!sources) {
      throw new Error(
        `this machine's apt sources have no archive for ${suite}: list its lines in worker.yaml, suiteSources`,
      );
    }
    return sources;
  }

  async settings(): Promise<AptSetting[]> {
    const { stdout } = await execute('apt-config', ['dump']);
    return neededSettings(stdout, process.env);
  }

  private async entries(): Promise<AptEntry[]> {
    const folder = join(this.folder, 'sources.list.d');
    const names = (await readdir(folder).catch(unlessMissing([]))).sort();
    const entries = parseOneLine(await textOf(join(this.folder, 'sources.list')));
    for (const name of names) {
      if (name.endsWith('.list')) entries.push(...parseOneLine(await textOf(join(folder, name))));
      if (name.endsWith('.sources')) entries.push(...parseDeb822(await textOf(join(folder, name))));
    }
    return entries;
  }
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(unlessMissing(''));
}

/** A default for a missing file; any other error is thrown. */
function unlessMissing<T>(otherwise: T) {
  return (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return otherwise;
    throw error;
  };
}
