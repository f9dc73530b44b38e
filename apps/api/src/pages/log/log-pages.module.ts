import { Room } from '../../http/room';
import { ArtifactsController } from './artifacts.controller';
import { LogPageService } from './log-page.service';
import { LogTailService } from './log-tail.service';
import { LogController } from './log.controller';

@Room({ controllers: [LogController, ArtifactsController], providers: [LogPageService, LogTailService] })
export class LogPagesModule {}
