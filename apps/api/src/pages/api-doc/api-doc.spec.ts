import Ajv2020 from 'ajv/dist/2020';
import type { ValidateFunction } from 'ajv';
import { controllersOfApi, routesOf } from '@test/support/routes';
import { apiDocument } from '../../document/document';
import { METHODS, resolve } from '../../document/api-document';
import type {
  DocumentedAnswer,
  Example,
  MediaType,
  DocumentedOperation,
  DocumentedParameter,
} from '../../document/api-document';
import { documentView } from './api-doc-view';

const document = apiDocument();

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.flatMap((method): [string, DocumentedOperation][] => {
    const operation = item[method];
    return operation ? [[`${method.toUpperCase()} ${path}`, operation]] : [];
  }),
);

/** What the controllers answer: `GET /api/v1/test/{run_id}`. */
function routes(): string[] {
  return controllersOfApi()
    .flatMap(routesOf)
    .map(({ method, path }) => `${method} ${path.replace(/\/$/, '').replace(/[:*](\w+)/g, '{$1}')}`);
}

describe('OpenAPI', () => {
  it('the document has every route under /api/v1 and /data, the lists and statistics of statuses, the hours of queues, and no other', () => {
    const isDocumented = (route: string): boolean =>
      (/ \/(api\/v1|data)\//.test(route) && !route.includes('/data/followed/')) ||
      /^GET \/status\/(\{list\}|statistics|queue\/hours)\.json$/.test(route);
    const documentedRoutes = routes().filter(isDocumented);
    expect(documentedRoutes.length).toBeGreaterThan(15);
    expect(operations.map(([name]) => name).sort()).toEqual(documentedRoutes.sort());
  });

  it('the document names each operation once, with a tag that it describes', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.map(({ name }) => name);
    expect(operations.filter(([, operation]) => !tags.includes(operation.tags[0]))).toEqual([]);
  });

  it.each(operations)(
    'the document declares the parameters in the path of %s, and no others',
    (name, operation) => {
      const path = name.split(' ')[1]!;
      const declared = [...(document.paths[path]!.parameters ?? []), ...(operation.parameters ?? [])]
        .map((parameter) => resolve<DocumentedParameter>(document, parameter))
        .filter((parameter) => parameter.in === 'path');
      expect(declared.map((parameter) => parameter.name)).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter),
      );
      expect(declared.every(({ required }) => required)).toBe(true);
    },
  );

  it.each(operations)(
    'the document has the refusals that every request to %s may meet',
    (_name, operation) => {
      const statuses = Object.keys(operation.responses);
      const [credential] = operation.security ?? document.security;
      if (!credential) return;
      expect(statuses).toEqual(
        expect.arrayContaining(['password' in credential ? '401' : '403', '429', '503']),
      );
      if (operation.requestBody) expect(statuses).toEqual(expect.arrayContaining(['400', '413', '415']));
    },
  );

  it('the document refers to nothing that is not there', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to!);
    expect(references.length).toBeGreaterThan(50);
    for (const $ref of references) expect(resolve(document, { $ref })).toBeDefined();
    const used = new Set(references.map((reference) => reference.replace('#/components/', '')));
    const componentNames = ['parameters', 'responses', 'schemas', 'headers'].flatMap((kind) =>
      Object.keys(document.components[kind]!).map((name) => `${kind}/${name}`),
    );
    expect(componentNames.filter((name) => !used.has(name) && name !== 'headers/AuthUser')).toEqual([]);
  });

  const samples: [string, MediaType, unknown][] = operations.flatMap(([name, operation]) => [
    ...media(`${name} body`, operation.requestBody?.content),
    ...Object.entries(operation.responses).flatMap(([status, answer]) =>
      media(`${name} ${status}`, resolve<DocumentedAnswer>(document, answer).content),
    ),
  ]);

  it.each(samples)('an example of the document is as its schema says: %s', (_name, { schema }, value) => {
    const validate = validator(schema);
    expect(validate(value) ? null : validate.errors).toBeNull();
  });

  it('the schemas of the document refuse what is not so', () => {
    const { Result, TestItem, ListForm } = document.components.schemas;
    expect(validator(Result!)({ run_id: 1 })).toBe(false);
    expect(validator(TestItem!)({ package: 5 })).toBe(false);
    expect(validator(ListForm!)({ tests: '[]', priority: 10 })).toBe(true);
    expect(validator(ListForm!)({ tests: '[]', priority: 11 })).toBe(false);
    expect(validator(ListForm!)({ priority: 10 })).toBe(false);
  });
});

function media(name: string, content: Record<string, MediaType> = {}): [string, MediaType, unknown][] {
  return Object.entries(content).flatMap(([type, mediaType]): [string, MediaType, unknown][] => {
    const examples = Object.entries(mediaType.examples ?? {}).map(
      ([key, example]): [string, MediaType, unknown] => [
        `${name} ${type} ${key}`,
        mediaType,
        resolve<Example>(document, example).value,
      ],
    );
    const { example } = mediaType;
    return example === undefined ? examples : [...examples, [`${name} ${type}`, mediaType, example]];
  });
}

/** What the schemas refer to is compiled once. */
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({
  $id: 'document',
  ...document,
});

function validator(schema: object): ValidateFunction {
  const absolute = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
  return ajv.compile(JSON.parse(absolute) as object);
}

describe('page', () => {
  const view = documentView(document);

  it('the page of the document shows every operation with its answers', () => {
    const shownOperations = view.tags.flatMap(({ endpoints }) =>
      endpoints.map(({ method, path }) => `${method} ${path}`),
    );
    expect(shownOperations.sort()).toEqual(operations.map(([name]) => name).sort());
    const single = view.tags.flatMap(({ endpoints }) => endpoints).find(({ id }) => id === 'submitSingle');
    expect(single).toMatchObject({ credential: 'API key of scope submit or everything', method: 'POST' });
    expect(single!.parameters).toContainEqual(
      expect.objectContaining({ name: 'priority', where: 'query', type: 'Priority', isRequired: false }),
    );
    expect(single!.answers.map(({ status }) => status)).toContain('201');
  });

  it('the page of the document says what a schema is in a few words', () => {
    const types = Object.fromEntries(view.schemas.map(({ name, type }) => [name, type]));
    expect(types).toMatchObject({
      Priority: 'integer, 1 to 10',
      Tests: 'array of TestItem',
      KeyName: 'string, 1 to 100 characters',
      Result: 'object',
    });
  });
});
