import { isPackageName, WORKER_NAME } from '@proctor/contracts';
import { REFERENCE_TRIGGER } from '@proctor/database';
import type { Html } from './html';
import { markup } from './html';

const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+:~-]*$/;
/** A trigger with a longer word has no pages for its words. */
const WORD_LENGTH_MAX = 254;

/** A trigger with a link for each word of the form `package/version`; other words are text. */
export function triggerLinks(trigger: string): Html {
  const words = trigger.split(' ');
  const areFound = words.every((word) => word.length <= WORD_LENGTH_MAX);
  const [first = markup``, ...others] = words.map((word) => (areFound ? linked(word) : markup`${word}`));
  return markup`${first}${others.map((word) => markup` ${word}`)}`;
}

function linked(word: string): Html {
  const [name = '', version = '', ...rest] = word.split('/');
  const hasPage = isPackageName(name) && VERSION.test(version) && rest.length === 0;
  if (!hasPage || word === REFERENCE_TRIGGER) return markup`${word}`;
  return markup`<a href="/triggers/${name}/${encodeURIComponent(version)}">${word}</a>`;
}

/** A link to the page of a worker. */
export function workerLink(name: string): Html {
  return WORKER_NAME.test(name) ? markup`<a href="/status/workers/${name}">${name}</a>` : markup`${name}`;
}
