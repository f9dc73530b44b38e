export type { RunEvent } from './run-event';
export { type EventFilter, isWanted } from './event-filter';
export { EventWindow, type EventPage, type EventSource } from './event-window';
