import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestHandler } from 'express';

/** Style, icons, and the script as `npm run build` has bundled it. */
export const ASSETS_PATH = join(__dirname, '../assets');

/** An address under which an asset never changes: `/assets/style.0123456789ab.css`. */
const HASHED = /^(\/assets\/\w+)\.[0-9a-f]{12}(\.\w+)(?=$|\?)/;

/** How a reader wants pages to look; `system`: as all else on the screen. */
export const LOOKS = ['light', 'dark', 'system'] as const;
export type Look = (typeof LOOKS)[number];

/** The cookie that remembers a look. No page is made of it: what it chooses is a style of its own, so that caches give each page to all. */
export const LOOK_COOKIE = 'look';

/** What pages load beside themselves. Each has an address that its content makes. */
export class Assets {
  /**
   * @param urls by file name: `style.css`
   * @param folders where the files are
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

  /** @throws Error for a file that is not there, the script before it was built among them */
  url(name: string): string {
    const url = this.urls.get(name);
    if (url === undefined) throw new Error(`there is no asset ${name}: was \`npm run build\` run?`);
    return url;
  }

  /**
   * Leads requests for the address of an asset to its file, to be kept for ever. The address that another release made
   * leads to the present file too, which is not kept: a page may come from a process that is older.
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

/** @param cookies as they are sent; a look that is none of ours is that of the system */
function lookIn(cookies = ''): Look {
  const wanted = cookies.split(/; */).find((cookie) => cookie.startsWith(`${LOOK_COOKIE}=`));
  return LOOKS.find((look) => wanted === `${LOOK_COOKIE}=${look}`) ?? 'system';
}

function urlOf(folder: string, name: string): string {
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex')
    .slice(0, 12);
  return `/assets/${name.replace(/(?=\.\w+$)/, `.${hash}`)}`;
}
