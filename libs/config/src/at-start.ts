const marked = new Map<object, Set<string>>();

/** A key that a process reads once, when it starts: another value takes a restart. Every other key takes a reload. */
export function AtStart(): PropertyDecorator {
  return (target, key) => {
    const keys = marked.get(target) ?? new Set<string>();
    marked.set(target, keys.add(String(key)));
  };
}

export function keysAtStart(shape: new () => object): ReadonlySet<string> {
  return marked.get(shape.prototype as object) ?? new Set();
}
