import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { KnownShape } from './known-shape';
import { withoutUnknownWords } from './known-words';

/** The most broken rules that an error lists; a message may break one in each of many thousand entries. */
const PROBLEMS_MAX = 10;

/**
 * The most entries of any list in a message: to check a hundred thousand entries takes seconds, in which the process
 * does nothing else.
 */
const LIST_LENGTH_MAX = 1_000;

/** A message that does not have the shape its subject promises. */
export class MalformedMessage extends Error {}

/**
 * Checks a received message against its class. Unknown fields are ignored, and so are words of later
 * versions where an absent word has a meaning, see known-words.ts.
 * @throws MalformedMessage naming the field and the rule it breaks
 */
export function parseMessage<T extends object>(shape: new () => T, data: unknown): T {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new MalformedMessage(`${shape.name}: an object is expected`);
  }
  requireShortLists(shape, data as Record<string, unknown>);
  const content = withoutUnknownWords(shape, data as Record<string, unknown>);
  const instance = KnownShape.of(shape)?.instance(content);
  if (instance) return instance as T;
  const message = plainToInstance(shape, content);
  const errors = validateSync(message, { forbidUnknownValues: true });
  if (errors.length > 0) throw new MalformedMessage(`${shape.name}: ${listed(describe(errors, ''))}`);
  return message;
}

function requireShortLists(shape: new () => object, data: Record<string, unknown>): void {
  for (const name of propertiesOf(shape)) {
    const list = data[name];
    if (Array.isArray(list) && list.length > LIST_LENGTH_MAX) {
      const text = `${name}: a list of ${list.length} entries, of at most ${LIST_LENGTH_MAX}`;
      throw new MalformedMessage(`${shape.name}: ${text}`);
    }
  }
}

const properties = new Map<new () => object, string[]>();

/** The properties with rules, cached; class-validator would search them for each message. */
function propertiesOf(shape: new () => object): string[] {
  const propertyNames = properties.get(shape);
  if (propertyNames) return propertyNames;
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
  properties.set(shape, names);
  return names;
}

function listed(problems: string[]): string {
  const others = problems.length - PROBLEMS_MAX;
  return problems.slice(0, PROBLEMS_MAX).join('; ') + (others > 0 ? `; and ${others} more` : '');
}

function describe(errors: ValidationError[], path: string): string[] {
  return errors.flatMap((error) => {
    const at = path ? `${path}.${error.property}` : error.property;
    return [
      ...Object.values(error.constraints ?? {}).map((text) => `${at}: ${text}`),
      ...describe(error.children ?? [], at),
    ];
  });
}
