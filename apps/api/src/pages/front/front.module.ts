import { Room } from '../../http/room';
import { DebciController } from './debci.controller';
import { HomeService } from './home.service';
import { PagesController } from './pages.controller';

@Room({ controllers: [DebciController, PagesController], providers: [HomeService] })
export class FrontModule {}
