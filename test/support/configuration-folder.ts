import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const TEST_HOME = '/home/of/proctor';

/** A configuration folder that is new and empty for each test, within a folder of its own. */
export class ConfigurationFolder {
  path: string;

  constructor() {
    beforeEach(async () => {
      this.path = join(await mkdtemp(join(tmpdir(), 'proctor-config-')), 'config');
      await mkdir(this.path);
    });
    afterEach(() => rm(join(this.path, '..'), { recursive: true }));
  }

  /** The environment of a process that uses this folder. */
  get env(): NodeJS.ProcessEnv {
    return { PROCTOR_CONFIG: this.path, PROCTOR_HOME: TEST_HOME };
  }

  write(name: string, content: string | Buffer): Promise<void> {
    return writeFile(join(this.path, name), content);
  }
}
