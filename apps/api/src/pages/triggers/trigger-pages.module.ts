import { Room } from '../../http/room';
import { TriggerDataController } from './trigger-data.controller';
import { TriggerActionsController, TriggersController } from './trigger-pages.controller';

@Room({ controllers: [TriggerDataController, TriggersController, TriggerActionsController] })
export class TriggerPagesModule {}
