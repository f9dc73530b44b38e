import { Room } from '../http/room';
import { ExplanationService } from './explanation.service';
import { OrderSignal } from './order-signal';

/** Queries to the dispatchers about waiting runs, and signals to them. */
@Room({ providers: [OrderSignal, ExplanationService] })
export class DispatchersModule {}
