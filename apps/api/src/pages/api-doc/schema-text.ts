import type { JsonSchema } from '@proctor/resources';

/** The name of a schema that is referred to. */
function schemaName({ $ref }: JsonSchema): string | null {
  return $ref?.split('/').at(-1) ?? null;
}

/** A schema in a few words: `array of Item`, `integer, 1 to 10`. */
export function schemaText(schema: JsonSchema): string {
  const name = schemaName(schema);
  if (name) return name;
  if (schema.oneOf) return schema.oneOf.map(schemaText).join(' or ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.items) return `array of ${schemaText(schema.items)}`;
  const types = [schema.type ?? 'anything'].flat().join(' or ');
  return [types, range(schema)].filter(Boolean).join(', ');
}

function range({ minimum, maximum, minLength, maxLength }: JsonSchema): string {
  if (minimum !== undefined)
    return maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`;
  if (maxLength === undefined) return '';
  return minLength === undefined
    ? `at most ${maxLength} characters`
    : `${minLength} to ${maxLength} characters`;
}
