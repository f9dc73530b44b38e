import { readFile } from 'node:fs/promises';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { LineCounter, isNode, parseDocument, type Document } from 'yaml';

/** One or more problems, each with its file, line and key. */
export class ConfigurationError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
  }
}

/** A parsed YAML file that can say on which line a key stands. */
export class YamlFile {
  private constructor(
    private readonly path: string,
    private readonly document: Document | null,
    private readonly lines: LineCounter,
  ) {}

  /** A file that does not exist reads as empty: every key has a default. */
  static async read(path: string): Promise<YamlFile> {
    const lines = new LineCounter();
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new YamlFile(path, null, lines);
      throw new ConfigurationError([`${path}: ${(error as Error).message}`]);
    }
    const document = parseDocument(text, { lineCounter: lines });
    if (document.errors.length > 0) {
      throw new ConfigurationError(document.errors.map((e) => `${path}: ${e.message.split('\n')[0]}`));
    }
    return new YamlFile(path, document, lines);
  }

  /** The file as plain values; null when it is missing or empty. */
  values(): unknown {
    return this.document?.toJS() ?? null;
  }

  /** `path:line: key: text`, for a key given as its path from the root. */
  problem(key: (string | number)[], text: string): string {
    const at = this.lineOf(key);
    return `${this.path}${at === null ? '' : `:${at}`}: ${key.length > 0 ? `${key.join('.')}: ` : ''}${text}`;
  }

  /**
   * The file's values as an instance of `shape`, defaults filled in.
   * @throws ConfigurationError listing every unknown key and every value that breaks a rule of `shape`
   */
  as<T extends object>(shape: new () => T): T {
    const values = this.values() ?? {};
    if (typeof values !== 'object' || Array.isArray(values)) {
      throw new ConfigurationError([this.problem([], 'a mapping of keys to values is expected')]);
    }
    const result = plainToInstance(shape, values);
    const errors = validateSync(result, { whitelist: true, forbidNonWhitelisted: true });
    const problems = this.describe(errors, []);
    if (problems.length > 0) throw new ConfigurationError(problems);
    return result;
  }

  private describe(errors: ValidationError[], path: (string | number)[]): string[] {
    return errors.flatMap((error) => {
      const key = [...path, /^\d+$/.test(error.property) ? Number(error.property) : error.property];
      const own = Object.values(error.constraints ?? {}).map((text) =>
        this.problem(key, `${text} (found ${JSON.stringify(error.value)})`),
      );
      return [...own, ...this.describe(error.children ?? [], key)];
    });
  }

  private lineOf(key: (string | number)[]): number | null {
    for (let depth = key.length; depth > 0; depth -= 1) {
      const node = this.document?.getIn(key.slice(0, depth), true);
      if (isNode(node) && node.range) return this.lines.linePos(node.range[0]).line;
    }
    return null;
  }
}
