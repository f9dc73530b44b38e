import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidationTypes, type ValidationArguments } from 'class-validator';

type Shape = new () => object;
type Rule = (value: unknown, object: object) => boolean;
type RuleMetadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** The rules of one property of a class. */
interface Property {
  name: string;
  /** Conditions: the rules apply only when all of these hold. */
  conditions: Rule[];
  rules: Rule[];
  /** The shape of the objects in it, alone or in a list. */
  nested: { shape: KnownShape; isList: boolean } | null;
}

/**
 * The rules of a class, looked up once: class-validator looks them up for each instance and prepares an error for each
 * property, which costs more than all rules together. The rules themselves are its own.
 */
export class KnownShape {
  private static readonly shapes = new Map<Shape, KnownShape | null>();
  private readonly properties: Property[];

  private constructor(private readonly shape: Shape) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
    const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
    this.properties = names.map((name) =>
      propertyOf(
        shape,
        name,
        rules.filter(({ propertyName }) => propertyName === name),
      ),
    );
  }

  /** The shape of a class; null if the class has no rules, or rules of other kinds. */
  static of(shape: Shape): KnownShape | null {
    let entry = KnownShape.shapes.get(shape);
    if (entry === undefined) {
      entry = hasKnownRules(shape) ? new KnownShape(shape) : null;
      KnownShape.shapes.set(shape, entry);
    }
    return entry;
  }

  /** An instance that fulfils all rules; null when `plain` does not, or when that is not certain. */
  instance(data: object): object | null {
    const object = new this.shape() as Record<string, unknown>;
    for (const [name, value] of Object.entries(data))
      if (name !== '__proto__' && name !== 'constructor') object[name] = value;
    return this.properties.every((property) => keeps(object, property)) ? object : null;
  }

  /** True when the instance certainly fulfils all rules. False means nothing: objects in it are not checked. */
  isKept(instance: object): boolean {
    const values = instance as Record<string, unknown>;
    return this.properties.every((property) => property.nested === null && keeps(values, property));
  }
}

function keeps(object: Record<string, unknown>, { name, conditions, rules, nested }: Property): boolean {
  const value = object[name];
  if (!conditions.every((holds) => holds(value, object))) return true;
  if (!rules.every((rule) => rule(value, object))) return false;
  return nested === null || value == null || nest(object, name, value, nested);
}

/** Makes instances of what the property holds. */
function nest(
  object: Record<string, unknown>,
  name: string,
  value: unknown,
  { shape, isList }: NonNullable<Property['nested']>,
): boolean {
  if (Array.isArray(value) !== isList) return false;
  const instances: unknown[] = [];
  for (const each of (isList ? value : [value]) as unknown[]) {
    const instance =
      typeof each === 'object' && each !== null && !Array.isArray(each) && shape.instance(each);
    if (!instance) return false;
    instances.push(instance);
  }
  object[name] = isList ? instances : instances[0];
  return true;
}

function hasKnownRules(shape: Shape): boolean {
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  return rules.length > 0 && rules.every((rule) => isKnown(shape, rule));
}

function isKnown(shape: Shape, { type, propertyName, validateIf, constraintCls }: RuleMetadata): boolean {
  if (validateIf) return false;
  switch (type) {
    case ValidationTypes.NESTED_VALIDATION: {
      const nested = nestedShape(shape, propertyName);
      return nested !== undefined && KnownShape.of(nested) !== null;
    }
    case ValidationTypes.CUSTOM_VALIDATION:
      return getMetadataStorage()
        .getTargetValidatorConstraints(constraintCls)
        .every(({ async }) => !async);
    default:
      return type === ValidationTypes.CONDITIONAL_VALIDATION || type === ValidationTypes.WHITELIST;
  }
}

/** The class that class-transformer creates for an object there; it has no other way to find out. */
function nestedShape(shape: Shape, name: string): Shape | undefined {
  const instance = plainToInstance(shape, { [name]: {} }) as Record<string, object>;
  const nested = instance[name]?.constructor as Shape | undefined;
  return nested === Object ? undefined : nested;
}

function propertyOf(shape: Shape, name: string, metadata: RuleMetadata[]): Property {
  const ofType = (type: string): RuleMetadata[] => metadata.filter((each) => each.type === type);
  const [nested] = ofType(ValidationTypes.NESTED_VALIDATION);
  return {
    name,
    conditions: ofType(ValidationTypes.CONDITIONAL_VALIDATION).map(conditionOf),
    rules: ofType(ValidationTypes.CUSTOM_VALIDATION).flatMap((each) => rulesOf(shape, each)),
    nested: nested
      ? { shape: KnownShape.of(nestedShape(shape, name)!)!, isList: nested.each === true }
      : null,
  };
}

function conditionOf({ constraints }: RuleMetadata): Rule {
  const [holds] = constraints as [(object: object, value: unknown) => boolean];
  return (value, object) => holds(object, value);
}

function rulesOf(shape: Shape, metadata: RuleMetadata): Rule[] {
  const { constraintCls, constraints, propertyName: property, each } = metadata;
  return getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }) => (value: unknown, object: object) => {
      const context: ValidationArguments = { targetName: shape.name, property, object, value, constraints };
      const keepsIt = (one: unknown): boolean => instance.validate(one, context) === true;
      if (!each) return keepsIt(value);
      if (Array.isArray(value)) return value.every(keepsIt);
      // In these, class-validator checks each element too.
      return !(value instanceof Set || value instanceof Map) && keepsIt(value);
    });
}
