import { Room } from '../../http/room';
import { DebciController } from './debci.controller';
import { HomeService } from './home.service';
import { PagesController } from './pages.controller';
import { PresentWork } from './present-work.service';

@Room({ controllers: [DebciController, PagesController], providers: [HomeService, PresentWork] })
export class FrontModule {}
