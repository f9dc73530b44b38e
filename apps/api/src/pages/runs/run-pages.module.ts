import { Room } from '../../http/room';
import { RunTriage } from './run-triage.service';
import { InstalledPagesController } from './installed-page.controller';
import { RunPageService } from './run-page.service';
import { RunsController } from './runs.controller';

@Room({
  controllers: [InstalledPagesController, RunsController],
  providers: [RunPageService, RunTriage],
})
export class RunPagesModule {}
