import { Room } from '../../http/room';
import { TriggerDataController } from './trigger-data.controller';
import { TriggerChanges } from './trigger-changes.service';
import { TriggerActionsController, TriggersController } from './trigger-pages.controller';

@Room({
  controllers: [TriggerDataController, TriggersController, TriggerActionsController],
  providers: [TriggerChanges],
})
export class TriggerPagesModule {}
