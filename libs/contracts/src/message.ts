import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';

/** Broken rules that are told; a message may break one in each of many thousand entries. */
const PROBLEMS_MAX = 10;

/** A message that does not have the shape its subject promises. */
export class MalformedMessage extends Error {}

/**
 * Checks what came over the wire against its class.
 * @throws MalformedMessage naming the field and the rule it breaks
 */
export function parseMessage<T extends object>(shape: new () => T, data: unknown): T {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new MalformedMessage(`${shape.name}: an object is expected`);
  }
  const message = plainToInstance(shape, data);
  const errors = validateSync(message, { forbidUnknownValues: true });
  if (errors.length > 0) throw new MalformedMessage(`${shape.name}: ${listed(describe(errors, ''))}`);
  return message;
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
