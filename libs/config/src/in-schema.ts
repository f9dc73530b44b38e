/** JSON Schema of a value. */
export type Fragment = Record<string, unknown>;

type Shape = new () => object;

const fragments = new Map<object, Map<string, Fragment>>();
const sections = new Map<object, Map<string, () => Shape>>();

/** The JSON Schema of a rule of our own; json-schema.ts knows the rules of class-validator. */
export function InSchema(fragment: Fragment): PropertyDecorator {
  return (target, key) => mark(fragments, target, key, { ...fragmentOf(target, key), ...fragment });
}

/** The class of the keys below a key, or of each entry of a list. */
export function OfShape(shape: () => Shape): PropertyDecorator {
  return (target, key) => mark(sections, target, key, shape);
}

/** The JSON Schema of a key's own rules; undefined when it has none. */
export function fragmentOf(target: object, key: string | symbol): Fragment | undefined {
  return fragments.get(target)?.get(String(key));
}

/** The class of the keys below this one; undefined when it holds a value. */
export function shapeBelow(shape: Shape, key: string): Shape | undefined {
  return sections.get(shape.prototype as object)?.get(key)?.();
}

function mark<Value>(
  all: Map<object, Map<string, Value>>,
  target: object,
  key: string | symbol,
  value: Value,
): void {
  const marked = all.get(target) ?? new Map<string, Value>();
  all.set(target, marked.set(String(key), value));
}
