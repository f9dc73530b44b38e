import type { Kind, RequestField, ValueOf } from './kinds';

/**
 * The fields of a test request in addition to its package, suite and architecture: the one description of each, by its name in a run. The API's
 * checks and document, the form and the rows of pages, and the options and rows of the command follow from it, in this order.
 */
export const REQUEST_FIELDS = {
  trigger: {
    kind: 'text',
    absent: null,
    sent: 'trigger',
    result: 'trigger',
    schema: 'Trigger',
    prose:
      'Why the test is asked for; returned as it is. Any text without NUL, of at most 65536 bytes in UTF-8; a deployment may have another limit (`api.triggerBytesMax`).',
    example: 'glibc/2.40-1',
    title: 'Trigger',
    row: 'trigger',
    input: 'trigger',
    label: 'Trigger: why, as `package/version`',
    option: ['--trigger <text>', 'why the test is requested, such as glibc/2.40-4'],
  },
  pinPackages: {
    kind: 'pins',
    absent: [],
    sent: 'pin-packages',
    alias: 'pin_packages',
    result: 'pin_packages',
    schema: 'PinPackages',
    prose:
      "What is taken from other suites than the one tested. A spec is a package's name, `src:` and a source package's name, or several of them joined by commas. Each suite may appear once. With extra sources, pins resolve from the suite and the sources listed alone. All specs and suites together have at most 32768 bytes; a deployment may have another limit (`api.pinPackagesBytesMax`).",
    example: [['src:glibc', 'sid']],
    title: 'Pinned packages',
    row: 'pins',
    input: 'pins',
    label: 'Packages from other suites, one pin on each line: `src:glibc, experimental`',
    option: ['--pin <spec=suite>', 'take a package from another suite, such as src:glibc=sid'],
  },
  extraAptSources: {
    kind: 'names',
    absent: [],
    choices: 'sources',
    sent: 'extra-apt-sources',
    alias: 'extra_apt_sources',
    result: 'extra_apt_sources',
    schema: 'ExtraAptSources',
    prose:
      "Names of apt sources that the deployment has and the key's user may use; at most 20, where a deployment has no other limit (`api.extraAptSourcesMax`).",
    example: ['backports'],
    title: 'Extra apt sources',
    row: 'extra sources',
    input: 'source',
    label: 'Extra apt sources',
    option: ['--extra-source <name>', 'the name of an apt source of the deployment'],
  },
  backend: {
    kind: 'name',
    absent: '',
    choices: 'backends',
    none: 'the package’s own, else the default',
    sent: 'backend',
    result: 'backend',
    schema: 'Backend',
    prose:
      "The kind of testbed. A request that leaves it out, or empty, gets the package's, else the deployment's default.",
    example: 'qemu',
    title: 'Backend',
    row: 'backend',
    input: 'backend',
    label: 'Backend',
    option: ['--backend <name>', 'the kind of testbed'],
  },
  variant: {
    kind: 'name',
    absent: '',
    choices: 'variants',
    none: 'the default',
    sent: 'autopkgtest',
    result: 'autopkgtest',
    schema: 'Variant',
    prose:
      "The variant of the test runner. A request that leaves it out, or empty, gets the deployment's first.",
    example: 'newest',
    title: 'Variant',
    row: 'autopkgtest',
    input: 'autopkgtest',
    label: 'Variant of autopkgtest',
    option: ['--autopkgtest <name>', 'the variant of the test runner'],
  },
  priority: {
    kind: 'whole',
    absent: 5,
    minimum: 1,
    maximum: 10,
    sent: 'priority',
    result: 'priority',
    schema: 'Priority',
    prose: '10 goes first; 5 when it is left out.',
    example: 9,
    title: 'Priority',
    row: 'priority',
    input: 'priority',
    label: 'Priority, 1 to 10; 10 goes first',
    option: ['--priority <number>', '1 to 10; 10 goes first'],
  },
  isPrivate: {
    kind: 'flag',
    absent: false,
    sent: 'is_private',
    result: 'is_private',
    schema: 'IsPrivate',
    prose: 'Whether only the key that requests the run may see it; false when it is left out.',
    example: false,
    row: 'private',
    input: 'is_private',
    label: 'Private: only you and administrators see the runs, until you publish them',
    option: ['--private', 'only this key can see the runs'],
  },
} as const satisfies Record<string, RequestField>;

export type FieldName = keyof typeof REQUEST_FIELDS;

/** The options of a request, with the names that its run has. */
export type RunOptions = { [Name in FieldName]: ValueOf<(typeof REQUEST_FIELDS)[Name]> };

type FieldSentAs<Sent extends string> = Extract<(typeof REQUEST_FIELDS)[FieldName], { sent: Sent }>;
type FieldShownAs<Result extends string> = Extract<(typeof REQUEST_FIELDS)[FieldName], { result: Result }>;

/** The options of a request, as a client sends them. Null counts as left out. */
export type SentOptions = {
  [Sent in (typeof REQUEST_FIELDS)[FieldName]['sent']]?: ValueOf<FieldSentAs<Sent>> | null;
};

/** The options of a run, as the API answers them. */
export type ResultOptions = {
  [Result in (typeof REQUEST_FIELDS)[FieldName]['result']]: ValueOf<FieldShownAs<Result>>;
};

/** A field, with its names in a run and in the API's answers. */
export type NamedField = RequestField & { name: FieldName; result: keyof ResultOptions };

export const FIELDS: readonly NamedField[] = Object.entries(REQUEST_FIELDS).map(([name, field]) => ({
  name: name as FieldName,
  ...field,
}));

/** The options of a request that leaves them all out. */
export const NO_OPTIONS = Object.fromEntries(
  FIELDS.map(({ name, absent }) => [name, absent]),
) as unknown as RunOptions;

/** Sets the options from a test request; one that is left out or null gets the value `absent` of its field. */
export function setOptions(options: RunOptions, request: SentOptions): void {
  const values = request as Record<string, unknown>;
  const set = options as unknown as Record<string, unknown>;
  for (const field of FIELDS) set[field.name] = values[field.sent] ?? field.absent;
}

/** Gives the options of a run the names that the API's answers have. */
export function resultOptions(options: RunOptions): ResultOptions {
  const result: Record<string, unknown> = {};
  for (const { name, result: key } of FIELDS) result[key] = options[name];
  return result as ResultOptions;
}

/** The row of a field on a page. */
export interface RequestRow {
  name: FieldName;
  title: string;
  /** Empty for nothing. */
  text: string;
}

/** What a run's request said, as pages write it. */
export function requestRows(options: RunOptions): RequestRow[] {
  return FIELDS.flatMap(({ name, title, kind }) =>
    title === undefined ? [] : [{ name, title, text: valueText(kind, options[name]) }],
  );
}

/** A value as one line of text; empty for none. */
export function valueText(kind: Kind, value: RunOptions[FieldName]): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (kind === 'pins') return (value as [string, string][]).map((pin) => pin.join(' from ')).join('; ');
  return Array.isArray(value) ? value.join(', ') : String(value);
}
