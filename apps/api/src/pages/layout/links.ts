import { isPackageName, WORKER_NAME } from '@proctor/contracts';
import { REFERENCE_TRIGGER } from '@proctor/database';
import type { Html } from './html';
import { markup } from './html';

const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+:~-]*$/;
/** Triggers with a longer word are found by none of their words. */
const WORD_LENGTH_MAX = 254;

/** A trigger whose words lead to their pages, as far as they are of the form `package/version`; all else is text. */
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

/** The name of a worker, which leads to its page. */
export function workerLink(name: string): Html {
  return WORKER_NAME.test(name) ? markup`<a href="/status/workers/${name}">${name}</a>` : markup`${name}`;
}
