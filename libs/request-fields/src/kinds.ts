/** `[package spec, suite]`: the packages of the spec come from that suite. */
export type Pin = [spec: string, suite: string];

/** The type that a field of each kind has in a run. */
interface Values {
  /** Free text; null when there is none. */
  text: string | null;
  /** One of the names that a deployment has. */
  name: string;
  /** A whole number between two limits. */
  whole: number;
  flag: boolean;
  pins: Pin[];
  /** Some of the names that a deployment has. */
  names: string[];
}

export type Kind = keyof Values;

export type ValueOf<Field extends { kind: Kind }> = Values[Field['kind']];

/** How each surface writes a field. In `label`, what stands between backticks is code. */
interface Surfaces {
  /** In a test request of the API. */
  sent: string;
  /** Another spelling of `sent`. */
  alias?: string;
  /** Its name in the API's answers about a run. */
  result: string;
  /** Name of its schema in the API's document. */
  schema: string;
  /** Its description in the document. */
  prose: string;
  /** An example for the document, in the form of a test request. */
  example: unknown;
  /** Title of its row on the page of a run; without one, the page shows the field in another way. */
  title?: string;
  /** Title of its row in `proctor run show`. */
  row: string;
  /** Its name in the form of a request; those of `names` are `NAME-VALUE`. */
  input: string;
  label: string;
  /** The option of `proctor run submit`. */
  option: readonly [flags: string, description: string];
}

/** What a field of each kind has in addition. `absent` is its value in a run whose request leaves it out. */
export type RequestField = Surfaces &
  (
    | { kind: 'text'; absent: null }
    | { kind: 'name'; absent: ''; choices: 'backends' | 'variants'; none: string }
    | { kind: 'whole'; absent: number; minimum: number; maximum: number }
    | { kind: 'flag'; absent: false }
    | { kind: 'pins'; absent: readonly [] }
    | { kind: 'names'; absent: readonly []; choices: 'sources' }
  );
