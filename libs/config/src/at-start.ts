/** The prototype of a shape → its keys. */
const keysOfShapes = new Map<object, Set<string>>();

/** A key that a process reads once, when it starts: a new value needs a restart. For every other key a reload is enough. */
export function AtStart(): PropertyDecorator {
  return (target, key) => {
    const keys = keysOfShapes.get(target) ?? new Set<string>();
    keysOfShapes.set(target, keys.add(String(key)));
  };
}

/** The keys of a shape that have `AtStart`. */
export function keysAtStart(shape: new () => object): ReadonlySet<string> {
  return keysOfShapes.get(shape.prototype as object) ?? new Set();
}
