import { join } from 'node:path';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { basePathOf } from '@proctor/config';
import type { Outcomes } from '@proctor/database';
import { VERSION } from '@proctor/process';
import { Eta } from 'eta';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { htmlBelow } from '../../http/base-path';
import { Assets } from './assets';
import { mark, shape } from './mark';
import type { ShapeName } from './mark';
import { escapeHtml, markup } from './html';
import { triggerLinks, workerLink } from './links';
import type { Html } from './html';
import { matrix } from './matrix';
import { navigation } from './navigation';
import { outcomeBar, outcomeWords } from './outcome-bar';
import { strip } from './strip';
import { table } from './table';
import { agoHtml, timeHtml } from './times';

/** Functions and values for every template, besides its own data. Functions return HTML: write it with `<%~`. */
interface Helpers {
  assetUrl(name: string): string;
  /** The icon and the word of a status or state. */
  mark(word: string): Html;
  shape(name: ShapeName): Html;
  /** An icon of the sprite that is not a status. */
  icon(name: string): Html;
  time: typeof timeHtml;
  ago: typeof agoHtml;
  strip: typeof strip;
  outcomeBar: typeof outcomeBar;
  /** The numbers of tests with each outcome. */
  outcomeWords(outcomes: Outcomes): Html;
  /** Writes HTML. Values are escaped. */
  markup: typeof markup;
  table: typeof table;
  matrix: typeof matrix;
  triggerLinks: typeof triggerLinks;
  workerLink: typeof workerLink;
  navigation: typeof navigation;
  /** Version of Proctor. */
  version: string;
}

const NAMES = [
  ...['assetUrl', 'mark', 'shape', 'icon', 'time', 'ago', 'strip', 'markup', 'table', 'matrix'],
  ...['triggerLinks', 'workerLink', 'navigation', 'outcomeBar', 'outcomeWords', 'version'],
];

class PageEta extends Eta {
  constructor(readonly helpers: Helpers) {
    super({
      views: join(__dirname, '../views'),
      cache: true,
      autoEscape: true,
      escapeFunction: escapeHtml,
      functionHeader: `const { ${NAMES.join(', ')} } = this.helpers;`,
    });
  }
}

/** The templates of the pages. Values are escaped unless they are HTML. */
@Injectable()
export class Templates {
  private readonly eta: PageEta;

  constructor(
    assets: Assets,
    @Optional() @Inject(CONFIGURATION) private readonly configuration?: ApiConfiguration,
  ) {
    const sprite = assets.url('sprite.svg');
    this.eta = new PageEta({
      assetUrl: (name) => assets.url(name),
      mark: (word) => mark(word, sprite),
      shape: (name) => shape(name, sprite),
      icon: (name) =>
        markup`<svg class="icon" width="16" height="16" aria-hidden="true"><use href="${sprite}#${name}"></use></svg>`,
      time: timeHtml,
      ago: agoHtml,
      strip,
      outcomeBar,
      outcomeWords: (outcomes) => outcomeWords(outcomes, sprite),
      markup,
      table,
      matrix,
      triggerLinks,
      workerLink,
      navigation,
      version: VERSION,
    });
  }

  /** @param page name of a file in `views`, without `.eta` */
  render(page: string, data: object): string {
    const { publicUrl, serviceName } = this.configuration?.server ?? {};
    const basePath = basePathOf(publicUrl);
    return htmlBelow(basePath, this.eta.render(page, { pagePath: '', basePath, serviceName, ...data }));
  }
}
