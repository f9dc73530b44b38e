import { Room } from '../../http/room';
import { ErrorPagesController } from './errors.controller';
import { ListDirectory, ListsController } from './lists.controller';
import { StatisticsController } from './statistics.controller';
import { StatusPagesController } from './status-pages.controller';

@Room({
  controllers: [ErrorPagesController, StatisticsController, ListsController, StatusPagesController],
  providers: [ListDirectory],
})
export class StatusPagesModule {}
