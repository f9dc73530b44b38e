import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestHandler } from 'express';

/** Style, icons, and the script as `npm run build` has bundled it. */
export const ASSETS_PATH = join(__dirname, '../assets');

/** An address with a hash of the content: `/assets/style.0123456789ab.css`. */
const HASHED = /^(\/assets\/\w+)\.[0-9a-f]{12}(\.\w+)(?=$|\?)/;

/** The colours of pages. `system` follows the setting of the system. */
export const LOOKS = ['light', 'dark', 'system'] as const;
export type Look = (typeof LOOKS)[number];

/** The cookie with the look. Only a style sheet depends on it, no page, so caches can give a page to all readers. */
export const LOOK_COOKIE = 'look';

/** The style sheets, scripts and icons of pages. Each address has a hash of the content. */
export class Assets {
  /**
   * @param urls addresses by file name: `style.css`
   * @param folders the folders with the files
   */
  constructor(
    private readonly urls: ReadonlyMap<string, string>,
    readonly folders: readonly string[] = [],
  ) {}

  /** @throws Error when a folder cannot be read */
  static read(folders: string[]): Assets {
    const files = folders.flatMap((folder) => readdirSync(folder).map((name) => [folder, name] as const));
    return new Assets(new Map(files.map(([folder, name]) => [name, urlOf(folder, name)])), folders);
  }

  /** @throws Error when there is no such file, such as the script before `npm run build` */
  url(name: string): string {
    const url = this.urls.get(name);
    if (url === undefined) throw new Error(`there is no asset ${name}: was \`npm run build\` run?`);
    return url;
  }

  /**
   * Serves the file for the address of an asset; caches keep it for ever. An address from another release also serves
   * the present file, but caches do not keep it: an older process may have made the page.
   */
  readonly middleware: RequestHandler = (request, response, next) => {
    const [path = ''] = request.url.split('?');
    if (HASHED.test(path)) {
      if ([...this.urls.values()].includes(path))
        response.set('Cache-Control', 'public, max-age=31536000, immutable');
      request.url = request.url.replace(HASHED, '$1$2');
    } else if (path === '/assets/look.css') {
      response.set('Cache-Control', 'private, no-cache').vary('Cookie');
      request.url = `/assets/look-${lookIn(request.headers.cookie)}.css`;
    }
    next();
  };
}

/** Reads the look from the cookies. An unknown look counts as `system`. @param cookies the header `Cookie` */
function lookIn(cookies = ''): Look {
  const choice = cookies.split(/; */).find((cookie) => cookie.startsWith(`${LOOK_COOKIE}=`));
  return LOOKS.find((look) => choice === `${LOOK_COOKIE}=${look}`) ?? 'system';
}

function urlOf(folder: string, name: string): string {
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex')
    .slice(0, 12);
  return `/assets/${name.replace(/(?=\.\w+$)/, `.${hash}`)}`;
}
