import { changesBetween, withoutStartChanges, type Change, type Part } from './changes';
import type { Configuration } from './configuration';
import { FolderContent } from './folder';
import { configurationFolder, interpret } from './load';
import { settingsOf, type Settings } from './settings';
import { ConfigurationError } from './yaml-file';

/** The state of a configuration as people see it; without passwords. */
export interface ConfigurationStatus {
  /** When the configuration in use was read. */
  loadedAt: Date;
  /** Why the present content of the folder is not in use; each with file, line and key. Empty when it is in use. */
  problems: string[];
  /** Values in the folder that take effect at the next start. */
  needsRestart: string[];
}

/** The outcome of reading the folder once. */
export type Reload =
  { kind: 'applied'; changes: Change[] } | { kind: 'refused'; problems: string[]; inUseSince: Date };

/** The configuration of a process that follows its folder: each property is read again at each use. */
export class LiveConfiguration implements Configuration {
  private readonly listeners: (() => void)[] = [];
  private current: Configuration;
  private contentInUse: FolderContent;
  private loadedAt = new Date();
  private problems: string[] = [];
  private needsRestart: string[] = [];

  private constructor(
    private readonly started: Configuration,
    private readonly parts: readonly Part[],
    private readonly env: NodeJS.ProcessEnv,
    private content: FolderContent,
  ) {
    this.current = started;
    this.contentInUse = content;
  }

  /**
   * @param parts the parts that the process uses; changes of other parts are not reported
   * @throws ConfigurationError listing every problem: without an old configuration the process cannot go on
   */
  static async load(
    parts: readonly Part[],
    env: NodeJS.ProcessEnv = process.env,
  ): Promise<LiveConfiguration> {
    const content = await FolderContent.read(configurationFolder(env));
    return new LiveConfiguration(interpret(content, env), parts, env, content);
  }

  get home(): Configuration['home'] {
    return this.current.home;
  }

  get server(): Configuration['server'] {
    return this.current.server;
  }

  get store(): Configuration['store'] {
    return this.current.store;
  }

  get scheduler(): Configuration['scheduler'] {
    return this.current.scheduler;
  }

  get retention(): Configuration['retention'] {
    return this.current.retention;
  }

  get worker(): Configuration['worker'] {
    return this.current.worker;
  }

  get extraAptSources(): Configuration['extraAptSources'] {
    return this.current.extraAptSources;
  }

  get rejectList(): Configuration['rejectList'] {
    return this.current.rejectList;
  }

  get status(): ConfigurationStatus {
    return { loadedAt: this.loadedAt, problems: this.problems, needsRestart: this.needsRestart };
  }

  /** The values in use, and where each comes from. */
  get settings(): Settings {
    return settingsOf(this, this.contentInUse, this.env);
  }

  /** The content that was read last, in use or not. */
  get lastRead(): FolderContent {
    return this.content;
  }

  /** `listener` is called after each change of a value that is in use. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Applies the content as a whole, or nothing of it when anything is wrong with it. */
  apply(content: FolderContent): Reload {
    this.content = content;
    let configuration: Configuration;
    try {
      configuration = interpret(content, this.env);
    } catch (error) {
      // The process goes on whatever is wrong with a file.
      this.problems = error instanceof ConfigurationError ? error.problems : [String(error)];
      return { kind: 'refused', problems: this.problems, inUseSince: this.loadedAt };
    }
    return this.use(configuration);
  }

  private use(configuration: Configuration): Reload {
    const next = withoutStartChanges(this.started, configuration);
    const inUse = changesBetween(this.current, next, this.parts);
    const waiting = changesBetween(next, configuration, this.parts);
    this.current = next;
    this.contentInUse = this.content;
    this.loadedAt = new Date();
    this.problems = [];
    this.needsRestart = waiting.map(({ text }) => text);
    if (inUse.length > 0) this.listeners.forEach((listener) => listener());
    return { kind: 'applied', changes: [...inUse, ...waiting] };
  }
}
