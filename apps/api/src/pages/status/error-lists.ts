import { SIGNATURES_COMPARED_MAX } from '@proctor/database';
import type { ErrorSignatures, SignatureOrder, SignatureSummary } from '@proctor/database';
import { cursor } from '../../http/parts';
import { signatureObject } from '../../runs/signatures.service';
import { countWords, errorLine } from './errors-view';
import type { StatusList } from './status-list';
import { shortRunPath } from '../../runs/page-paths';

/** An error and its position in the list, from 0. Several runs may have the same error. */
interface ListedError {
  place: number;
  error: SignatureSummary;
}

/** The place where a page begins: the number of errors before it. */
interface ErrorKey {
  leftOut: number;
}

const BY_PLACE = cursor<ErrorKey>(`how many errors are skipped, below ${SIGNATURES_COMPARED_MAX}`, {
  leftOut: (text) => (/^\d{1,3}$/.test(text) && Number(text) < SIGNATURES_COMPARED_MAX ? Number(text) : null),
});

/** The lists of errors. Errors that differ only in paths, numbers and the like count as one. */
export function errorLists(signatures: ErrorSignatures): StatusList<ListedError, ErrorKey>[] {
  return [
    errorList(signatures, 'seen', {
      name: 'errors',
      title: 'Errors',
      order: 'most frequent first',
    }),
    errorList(signatures, 'new', {
      name: 'new-errors',
      title: 'New errors',
      order: 'newest first',
    }),
  ];
}

function errorList(
  signatures: ErrorSignatures,
  order: SignatureOrder,
  heading: Pick<StatusList, 'name' | 'title' | 'order'>,
): StatusList<ListedError, ErrorKey> {
  return {
    ...heading,
    nouns: () => ['error of the newest runs', 'errors of the newest runs'],
    columns: [
      {
        head: 'Error',
        className: 'text',
        cell: ({ error }) => ({ link: { url: pageOf(error), text: lineOf(error) } }),
      },
      { head: 'Seen', className: 'number', cell: ({ error }) => ({ text: countText(error) }) },
      { head: 'Packages', className: 'number', cell: ({ error }) => ({ text: String(error.packages) }) },
      { head: 'First', cell: ({ error }) => ({ at: error.firstAt, url: shortRunPath(error.firstRunId) }) },
      { head: 'Last', cell: ({ error }) => ({ at: error.lastAt, url: shortRunPath(error.lastRunId) }) },
      {
        head: 'Last in',
        cell: ({ error }) => ({ link: { url: shortRunPath(error.lastRunId), text: error.lastPackage } }),
      },
    ],
    cursor: BY_PLACE,
    read: async (query, limit, after) => {
      const from = after?.leftOut ?? 0;
      const errors = await signatures.list(
        order,
        Math.min(limit, SIGNATURES_COMPARED_MAX - from),
        query,
        from,
      );
      return errors.map((error, index) => ({ place: from + index, error }));
    },
    count: async (query) => ({ count: await signatures.count(query), isMore: false }),
    keyOf: ({ place }) => ({ leftOut: place + 1 }),
    object: ({ error }) => signatureObject(error),
    entry: ({ error }) => ({
      path: pageOf(error),
      title: lineOf(error),
      text: `Seen first in ${error.firstTrigger === null ? '' : `${error.firstTrigger}, `}run ${error.firstRunId}; ${countText(error)} times in ${error.packages} packages.`,
      date: error.firstAt,
    }),
  };
}

function pageOf(error: SignatureSummary): string {
  return signatureObject(error).page_url;
}

function lineOf(error: SignatureSummary): string {
  return errorLine(signatureObject(error));
}

function countText(error: SignatureSummary): string {
  return countWords(signatureObject(error));
}
