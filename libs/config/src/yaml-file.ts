import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { LineCounter, isCollection, isMap, isNode, isScalar, isSeq, parseDocument, visit } from 'yaml';
import type { Document, Node, YAMLError, YAMLMap } from 'yaml';
import { shapeBelow } from './in-schema';
import { nearest } from './nearest';
import { keysOf } from './rules';

/** One or more problems, each with its file, line and key. */
export class ConfigurationError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
  }
}

type Key = (string | number)[];

/** A key by its path from the root. */
export type YamlPath = Key;

/** `failsafe`: every key and value is the written text, so that a version such as 1.10 does not become a number. */
export type YamlSchema = 'core' | 'failsafe';

/** Programs that write YAML use an alias for each value that they have seen before. */
const ALIASES_MAX = 100_000;
/** class-validator's name for the rule that an unknown key breaks. */
const UNKNOWN_KEY = 'whitelistValidation';
/** Characters of a value that a message repeats. */
const FOUND_LENGTH_MAX = 60;

/** A parsed YAML file that knows the line of each key. */
export class YamlFile {
  private constructor(
    private readonly path: string,
    private readonly document: Document,
    private readonly lines: LineCounter,
  ) {}

  /**
   * @param text an empty one has no keys
   * @throws ConfigurationError listing everything that is not plain YAML
   */
  static parse(path: string, text: string, schema: YamlSchema = 'core'): YamlFile {
    const lines = new LineCounter();
    // The parser's own check for repeated keys needs seconds on a long list.
    const document = parseDocument(text, { lineCounter: lines, schema, uniqueKeys: false });
    const file = new YamlFile(path, document, lines);
    const problems = [...document.errors, ...document.warnings].map((error) => file.syntaxProblem(error));
    if (problems.length === 0) problems.push(...file.unusualNodes());
    if (problems.length > 0) throw new ConfigurationError(problems);
    return file;
  }

  /**
   * The file as plain values; null when it is empty.
   * @throws ConfigurationError when its aliases expand to more than any configuration has
   */
  values(): unknown {
    try {
      return this.document.toJS({ maxAliasCount: ALIASES_MAX }) ?? null;
    } catch (error) {
      if (error instanceof ReferenceError) throw new ConfigurationError([this.problem([], error.message)]);
      throw error;
    }
  }

  /** `path:line: key: text`, for a key given as its path from the root. */
  problem(key: Key, text: string): string {
    const prefix = key.length > 0 ? `${key.join('.')}: ` : '';
    return this.problemAt(this.nodeOf(key), `${prefix}${text}`);
  }

  /** The line of a key; null if the file does not have the key. */
  lineOf(key: Key): number | null {
    const node = this.nodeOf(key);
    const [last] = key.slice(-1);
    if (!node?.range || last === undefined || !isNamed(node, last)) return null;
    return this.document.hasIn(key) ? this.lines.linePos(node.range[0]).line : null;
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
    const problems = [...this.droppedNames(values, result, []), ...this.describe(errors, [], shape)];
    if (problems.length > 0) throw new ConfigurationError(problems);
    return result;
  }

  /** Problems for `constructor`, the one name that the transformer leaves out without an error. */
  private droppedNames(values: object, result: object, path: Key): string[] {
    if (Object.getPrototypeOf(result) === Object.prototype || Array.isArray(result)) return [];
    const own = Object.hasOwn(values, 'constructor')
      ? [this.problem([...path, 'constructor'], 'property constructor should not exist')]
      : [];
    const properties = new Map<string, unknown>(Object.entries(result));
    const inner = Object.entries(values).flatMap(([key, value]: [string, unknown]) => {
      const section = properties.get(key);
      return isObject(value) && isObject(section) ? this.droppedNames(value, section, [...path, key]) : [];
    });
    return [...own, ...inner];
  }

  private describe(errors: ValidationError[], path: Key, root: new () => object): string[] {
    return errors.flatMap((error) => {
      const key = [...path, /^\d+$/.test(error.property) ? Number(error.property) : error.property];
      // The rule written first comes last: a text in place of a number is not also too small.
      const broken = Object.entries(error.constraints ?? {}).slice(-1);
      const own = broken.map(([rule, text]) => {
        const advice = rule === UNKNOWN_KEY ? suggestion(root, error, key) : '';
        return this.problem(key, `${text}${describeValue(error.value)}${advice}`);
      });
      return [...own, ...this.describe(error.children ?? [], key, root)];
    });
  }

  private syntaxProblem({ message, linePos }: YAMLError): string {
    const [sentence = ''] = message.split(/(?: at line \d+, column \d+)?:?\n/);
    return `${this.path}${linePos ? `:${linePos[0].line}` : ''}: ${sentence}`;
  }

  /**
   * Problems with nodes that YAML allows but that are no plain values: an alias may have no target, or contain itself.
   */
  private unusualNodes(): string[] {
    const problems: string[] = [];
    const anchored = new Map<string, Node>();
    visit(this.document, {
      Value: (_key, node) => {
        if (node.anchor) anchored.set(node.anchor, node);
        if (isMap(node)) problems.push(...this.repeatedKeys(node));
      },
      Alias: (_key, alias, path) => {
        const target = anchored.get(alias.source);
        if (!target) problems.push(this.problemAt(alias, `*${alias.source} stands for nothing`));
        else if (path.includes(target))
          problems.push(this.problemAt(alias, `*${alias.source} contains itself`));
      },
      Pair: (_key, { key }) => {
        if (isCollection(key)) problems.push(this.problemAt(key, 'a key is a name, not a list or a mapping'));
        if (isNamed(key, '__proto__')) problems.push(this.problemAt(key as Node, '__proto__: is not a name'));
      },
    });
    return problems;
  }

  private repeatedKeys(map: YAMLMap): string[] {
    const names = new Set<string>();
    return map.items.flatMap(({ key }) => {
      if (!isScalar(key)) return [];
      const name = String(key.value);
      if (names.has(name)) return [this.problemAt(key, `${name}: is there twice`)];
      names.add(name);
      return [];
    });
  }

  private problemAt(node: Node | null, text: string): string {
    const line = node?.range ? `:${this.lines.linePos(node.range[0]).line}` : '';
    return `${this.path}${line}: ${text}`;
  }

  /** The node of the key, or of the longest part of its path that exists. */
  private nodeOf(path: Key): Node | null {
    let at: Node | null = null;
    let within: unknown = this.document.contents;
    for (const part of path) {
      let key: unknown, value: unknown;
      if (isSeq(within)) key = value = within.items[Number(part)];
      else if (isMap(within)) ({ key, value } = within.items.find((pair) => isNamed(pair.key, part)) ?? {});
      if (!isNode(key)) return at;
      at = key;
      within = value;
    }
    return at;
  }
}

function suggestion(root: new () => object, { target }: ValidationError, path: Key): string {
  if (!target) return '';
  const similar = similarKey(root, target.constructor as new () => object, path);
  return similar === null ? '' : `; did you mean ${similar}?`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isNamed(key: unknown, name: string | number): boolean {
  return isScalar(key) && String(key.value) === String(name);
}

/**
 * Describes a value in a message. Only plain values are shown: a longer text, or a line of a list, may contain a
 * password.
 */
function describeValue(value: unknown): string {
  const isPlain = typeof value === 'number' || typeof value === 'boolean' || value === null;
  const isShort = typeof value === 'string' && value.length <= FOUND_LENGTH_MAX && !value.includes('@');
  return isPlain || isShort ? ` (found ${JSON.stringify(value)})` : '';
}

/** Every key below a shape by its path, as `api.port`. */
function pathsOf(shape: new () => object, prefix = ''): string[] {
  return [...keysOf(shape)].flatMap((key) => {
    const below = shapeBelow(shape, key);
    return [`${prefix}${key}`, ...(below ? pathsOf(below, `${prefix}${key}.`) : [])];
  });
}

/**
 * The path of the key that an unknown key probably stands for: the neighbour with a similar spelling, else a key
 * with this spelling in another section.
 * @param path of the unknown key
 * @returns the bare name of a neighbour; null when no key is similar
 */
function similarKey(
  root: new () => object,
  owner: new () => object,
  path: readonly (string | number)[],
): string | null {
  const key = String(path.at(-1));
  const neighbour = nearest(key, keysOf(owner));
  if (neighbour !== null) return neighbour;
  const all = pathsOf(root);
  const elsewhere = all.filter((each) => each.split('.').at(-1)?.toLowerCase() === key.toLowerCase());
  return elsewhere.length === 1 ? elsewhere[0]! : null;
}
