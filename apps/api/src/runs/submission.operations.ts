import { FIELDS, REQUEST_FIELDS, type RequestField } from '@proctor/request-fields';
import {
  component,
  oneOf,
  optionSchema,
  RetriedRun,
  type Schema,
  SubmissionAnswerResource,
  text,
  whole,
} from '@proctor/resources';
import { type DescribedOperation, Operation } from '../http/operation';
import { BATCH, SingleTest, TestBatch, TestList, TESTS } from './test-request.dto';

const WORDS_OF_FLAG = text({ enum: ['true', 'false'] });

const LIST_FORM = form(
  'ListForm',
  {
    tests: text({ description: 'The list as JSON; a field or an uploaded file.' }),
    priority: formField(REQUEST_FIELDS.priority, 'For the items that name none.'),
    dry_run: WORDS_OF_FLAG,
  },
  ['tests'],
);

const SINGLE_FORM = form('SingleForm', {
  dry_run: WORDS_OF_FLAG,
  ...Object.fromEntries(FIELDS.map((field) => [field.sent, formField(field)])),
});

/** The fields of a form. @param required the names of required fields */
function form(
  schemaName: string,
  fields: Record<string, Schema<unknown>>,
  required: string[] = [],
): Schema<object> {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, { json }]) => [name, json]));
  const json = { type: 'object', ...(required.length > 0 && { required }), properties };
  return component(schemaName, { json, rules: [] });
}

function formField(field: RequestField, description = field.prose): Schema<unknown> {
  const { kind } = field;
  if (kind === 'flag') return text({ enum: ['true', 'false'], description });
  if (kind === 'whole') return whole({ minimum: field.minimum, maximum: field.maximum, description });
  return isList(field) ? text({ description: `JSON. ${description}` }) : text({ description });
}

function isList({ kind }: RequestField): boolean {
  return kind === 'pins' || kind === 'names';
}

/** The common description of the three endpoints that create runs. */
const SUBMISSION = {
  tag: 'Requests',
  otherAnswers: { 200: 'WouldCreate' },
  parameters: ['DryRun', 'IdempotencyKey'],
  refusals: { 409: 'KeyUsed' },
} as const satisfies Partial<DescribedOperation>;

const CREATED = {
  description: 'The result for each item. The runs are in the order of the items.',
  of: SubmissionAnswerResource,
  example: {
    runs: [{ run_id: 12, package: 'hello', suite: 'trixie', arch: 'amd64' }],
    ignored: [{ index: 1, package: 'blocked', reason: 'reject-list' }],
    warnings: ['The key "prio" in tests[0] is unknown and was ignored.'],
  },
};

/** An item with every field. */
const FULL_ITEM = {
  package: 'hello',
  ...Object.fromEntries(FIELDS.map(({ sent, example }) => [sent, example])),
};

export const SubmitsList = Operation({
  ...SUBMISSION,
  id: 'submitList',
  summary: 'Request a list of tests',
  description:
    'Items with a package on the reject list or an invalid package name are ignored and listed in the answer; any other fault refuses the whole list.',
  body: {
    isRequired: true,
    form: {
      of: LIST_FORM,
      example: { tests: '[{"package":"hello","trigger":"glibc/2.40-1"}]', priority: 7 },
    },
    json: {
      of: oneOf(TESTS, TestList),
      examples: {
        array: {
          summary: 'The list alone',
          value: [{ package: 'hello' }, { package: 'glibc', trigger: 'gcc-15/15.2.0-1' }],
        },
        object: { summary: 'With a priority', value: { priority: 7, tests: [FULL_ITEM] } },
      },
    },
  },
  answer: CREATED,
});

export const SubmitsSingle = Operation({
  ...SUBMISSION,
  id: 'submitSingle',
  summary: 'Request a test of one package',
  description: 'No body is needed. Each parameter may travel in the query or in the body.',
  path: {
    package: {
      of: text(),
      description:
        'The source package. On the reject list, or invalid, it is ignored and listed in the answer.',
      example: 'hello',
    },
  },
  query: Object.fromEntries(
    FIELDS.map((field) => {
      const { name, sent, alias, example } = field;
      const spelling = alias === undefined ? {} : { description: `A JSON array; also spelled \`${alias}\`.` };
      return [sent, { of: optionSchema(name), isJson: isList(field), example, ...spelling }];
    }),
  ),
  body: {
    isRequired: false,
    form: {
      of: SINGLE_FORM,
      example: { trigger: 'glibc/2.40-1', is_private: 'true', 'extra-apt-sources': '["backports"]' },
    },
    json: {
      of: SingleTest,
      example: {
        trigger: 'glibc/2.40-1',
        priority: 9,
        is_private: false,
        'extra-apt-sources': ['backports'],
      },
    },
  },
  answer: CREATED,
});

export const SubmitsBatch = Operation({
  ...SUBMISSION,
  id: 'submitBatch',
  summary: 'Request tests on several suites and architectures',
  description:
    "All parts are accepted together, or none. Each item of a part becomes a run on each of the part's architectures.",
  body: {
    isRequired: true,
    form: {
      of: LIST_FORM,
      example: { tests: '[{"suite":"trixie","arch":["amd64"],"tests":[{"package":"hello"}]}]' },
    },
    json: {
      of: oneOf(BATCH, TestBatch),
      example: [
        { suite: 'trixie', arch: ['amd64', 'arm64'], tests: [{ package: 'hello' }, { package: 'blocked' }] },
        { suite: 'sid', arch: 'amd64', tests: [{ package: 'glibc' }] },
      ],
    },
  },
  answer: {
    description: 'The runs, in the order of parts, architectures and items.',
    of: SubmissionAnswerResource,
    example: {
      runs: [
        { run_id: 12, package: 'hello', suite: 'trixie', arch: 'amd64' },
        { run_id: 13, package: 'hello', suite: 'trixie', arch: 'arm64' },
        { run_id: 14, package: 'glibc', suite: 'sid', arch: 'amd64' },
      ],
      ignored: [
        { request: 0, index: 1, package: 'blocked', arch: 'amd64', reason: 'reject-list' },
        { request: 0, index: 1, package: 'blocked', arch: 'arm64', reason: 'reject-list' },
      ],
      warnings: [],
    },
  },
});

export const RetriesRun = Operation({
  tag: 'Requests',
  id: 'retryRun',
  summary: 'Retry a finished run',
  description:
    'A new run of the same, as it was requested; its result is for the key that asked first. Any key may retry a public run; of a private one, the key that asked and administrators.',
  answer: { description: 'The new run.', of: RetriedRun, example: { run_id: 4712 } },
  parameters: ['IdempotencyKey'],
  refusals: {
    403: {
      description: 'The key is not valid, or the deployment no longer tests that.',
      detail: 'Run 12 cannot be retried: hello is on the reject list for trixie/amd64.',
    },
    404: 'NotFound',
    409: {
      description:
        "The run, or a retry of it, has not finished; or the idempotency key is another request's.",
      detail: 'Run 13, a retry of run 12, has not finished.',
    },
    410: 'Gone',
  },
});
