/** JSON Schema of a value. */
export type Fragment = Record<string, unknown>;

type Shape = new () => object;

const fragments = new Map<object, Map<string, Fragment>>();
const sections = new Map<object, Map<string, () => Shape>>();

/** Decorator: the JSON Schema of one of our own rules. json-schema.ts has those of class-validator. */
export function InSchema(fragment: Fragment): PropertyDecorator {
  return (target, key) => setMark(fragments, target, key, { ...fragmentOf(target, key), ...fragment });
}

/** Decorator: the class that describes the keys below this key, or each entry of its list. */
export function OfShape(shape: () => Shape): PropertyDecorator {
  return (target, key) => setMark(sections, target, key, shape);
}

/** The JSON Schema of a key's own rules; undefined if it has none. */
export function fragmentOf(target: object, key: string | symbol): Fragment | undefined {
  return fragments.get(target)?.get(String(key));
}

/** The class of the keys below this one; undefined if the key has a value. */
export function shapeBelow(shape: Shape, key: string): Shape | undefined {
  return sections.get(shape.prototype as object)?.get(key)?.();
}

function setMark<Value>(
  byTarget: Map<object, Map<string, Value>>,
  target: object,
  key: string | symbol,
  value: Value,
): void {
  const marks = byTarget.get(target) ?? new Map<string, Value>();
  byTarget.set(target, marks.set(String(key), value));
}
