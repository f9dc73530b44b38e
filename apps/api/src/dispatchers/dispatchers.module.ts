import { Room } from '../http/room';
import { ExplanationService } from './explanation.service';
import { OrderSignal } from './order-signal';

/** What the dispatchers say about runs that wait, and the signals to them. */
@Room({ providers: [OrderSignal, ExplanationService] })
export class DispatchersModule {}
