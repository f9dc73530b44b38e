const PATH_LENGTH_MAX = 300;
const HIDDEN = '…';

/** The token of a user's feed, or of a link in a mail, follows, in any spelling. */
const FEED = /((?:^|\/|%2f)(?:followed|confirm|unsubscribe)(?:\/|%2f)+)[^/?#]+/gi;
/** Name and password before a host. */
const CREDENTIALS = /(\/\/)[^/?#@]*@/g;
/** Long enough for a key, a token or the id of a session. */
const RANDOM = /[A-Za-z0-9_-]{28,}/g;
const HEX = /[0-9a-f]{40,}/i;

/**
 * A path for a line of the log, without secrets of the address: neither a feed token, nor one that a client sent
 * there by mistake.
 */
export function loggedPath(path: string): string {
  return path
    .replace(/[?#].*/s, '')
    .replace(/%([2-7][0-9a-f])/gi, (all, code: string) => {
      const sign = String.fromCharCode(parseInt(code, 16));
      return /[A-Za-z0-9_.~-]/.test(sign) ? sign : all;
    })
    .slice(0, 2 * PATH_LENGTH_MAX)
    .replace(CREDENTIALS, `$1${HIDDEN}@`)
    .replace(FEED, `$1${HIDDEN}`)
    .replace(RANDOM, (word) => (isRandom(word) ? HIDDEN : word))
    .slice(0, PATH_LENGTH_MAX);
}

/** Names of packages, suites and tests are not random: they have no capitals between digits and small letters. */
function isRandom(word: string): boolean {
  return HEX.test(word) || (/[A-Z]/.test(word) && /[a-z]/.test(word) && /\d/.test(word));
}
