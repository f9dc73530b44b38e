import { Room } from '../../http/room';
import { AffectedByPageController } from './affected-by-page.controller';
import { SearchController } from './search.controller';

@Room({ controllers: [SearchController, AffectedByPageController] })
export class SearchModule {}
