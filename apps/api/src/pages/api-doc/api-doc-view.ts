import {
  METHODS,
  resolve,
  type DocumentedAnswer,
  type ApiDocument,
  type Example,
  type MediaType,
  type DocumentedOperation,
  type DocumentedParameter,
  type PathItem,
} from '../../document/api-document';
import type { JsonSchema } from '@proctor/resources';

/** The name of a schema in a reference. */
function schemaName({ $ref }: JsonSchema): string | null {
  return $ref?.split('/').at(-1) ?? null;
}

/** A schema in a few words: `array of Item`, `integer, 1 to 10`. */
function schemaText(schema: JsonSchema): string {
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

interface Row {
  name: string;
  where: string;
  type: string;
  isRequired: boolean;
  text: string;
}

interface Sample {
  title: string;
  text: string;
}

/** An endpoint, for the page. All values are text. */
interface EndpointView {
  id: string;
  method: string;
  path: string;
  summary: string;
  text: string[];
  credential: string;
  parameters: Row[];
  bodies: Sample[];
  answers: { status: string; text: string; samples: Sample[] }[];
}

/** The data of the page about the API. */
export function documentView(document: ApiDocument) {
  const endpoints = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation
        ? [{ tag: operation.tags[0], view: endpointView(document, method, path, item, operation) }]
        : [];
    }),
  );
  return {
    title: document.info.title,
    text: paragraphs(document.info.description),
    tags: document.tags.map(({ name, description }) => ({
      name,
      text: description,
      endpoints: endpoints.filter(({ tag }) => tag === name).map(({ view }) => view),
    })),
    schemas: Object.entries(document.components.schemas).map(([name, schema]) => schemaView(name, schema)),
  };
}

export type DocumentView = ReturnType<typeof documentView>;

function endpointView(
  document: ApiDocument,
  method: string,
  path: string,
  item: PathItem,
  operation: DocumentedOperation,
): EndpointView {
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    text: paragraphs(operation.description ?? ''),
    credential: credentialOf(operation.security ?? document.security, method),
    parameters: parameters.map((parameter) =>
      parameterRow(resolve<DocumentedParameter>(document, parameter)),
    ),
    bodies: samples(document, operation.requestBody?.content ?? {}),
    answers: Object.entries(operation.responses).map(([status, reference]) => {
      const answer = resolve<DocumentedAnswer>(document, reference);
      return { status, text: answer.description, samples: samples(document, answer.content ?? {}) };
    }),
  };
}

function credentialOf([first]: Record<string, string[]>[], method: string): string {
  if (!first) return 'nothing';
  if ('password' in first) return 'name and password';
  const scope = first['key']?.[0] ?? (method === 'get' ? 'read' : 'everything');
  if (scope === 'any') return 'API key of any scope';
  return scope === 'everything' ? 'API key of scope everything' : `API key of scope ${scope} or everything`;
}

function parameterRow({ name, in: where, required, description, schema, content }: DocumentedParameter): Row {
  const type = schema ?? Object.values(content ?? {})[0]?.schema ?? {};
  return { name, where, type: schemaText(type), isRequired: required ?? false, text: description ?? '' };
}

function samples(document: ApiDocument, content: Record<string, MediaType>): Sample[] {
  return Object.entries(content).flatMap(([type, { schema, example, examples }]) => {
    const title = `${type}: ${schemaText(schema)}`;
    if (example !== undefined) return [{ title, text: json(example) }];
    const several = Object.values(examples ?? {}).map((each) => resolve<Example>(document, each));
    if (several.length === 0) return [{ title, text: '' }];
    return several.map(({ summary, value }) => ({ title: `${title}. ${summary ?? ''}`, text: json(value) }));
  });
}

function schemaView(name: string, schema: JsonSchema) {
  const rows = Object.entries(schema.properties ?? {}).map(([key, property]): Row => ({
    name: key,
    where: '',
    type: schemaText(property),
    isRequired: schema.required?.includes(key) ?? false,
    text: property.description ?? '',
  }));
  return { name, type: schemaText(schema), text: schema.description ?? '', rows };
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function paragraphs(text: string): string[] {
  return text
    .split('\n\n')
    .map((paragraph) => paragraph.trim())
    .filter(Boolean);
}
