import { Room } from '../../http/room';
import { TestedPackages } from './tested-packages';
import { SearchController } from './search.controller';
import { SearchService } from './search.service';

@Room({ controllers: [SearchController], providers: [TestedPackages, SearchService] })
export class SearchModule {}
