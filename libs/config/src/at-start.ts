const marked = new Map<object, Set<string>>();

/** A key that a process reads once, when it starts: a new value needs a restart. For every other key a reload is enough. */
export function AtStart(): PropertyDecorator {
  return (target, key) => {
    const keys = marked.get(target) ?? new Set<string>();
    marked.set(target, keys.add(String(key)));
  };
}

export function keysAtStart(shape: new () => object): ReadonlySet<string> {
  return marked.get(shape.prototype as object) ?? new Set();
}
