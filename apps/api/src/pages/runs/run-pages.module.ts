import { Room } from '../../http/room';
import { CompareController } from './compare.controller';
import { RunTriage } from './run-triage.service';
import { InstalledPagesController } from './installed-page.controller';
import { RunPageService } from './run-page.service';
import { RunTimeService } from './run-time.service';
import { RunsController } from './runs.controller';
import { UnfinishedRunService } from './unfinished-run.service';

@Room({
  controllers: [InstalledPagesController, RunsController, CompareController],
  providers: [RunPageService, RunTimeService, RunTriage, UnfinishedRunService],
})
export class RunPagesModule {}
