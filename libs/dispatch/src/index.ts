export * from './journal';
export * from './ownership';
export * from './settings';
export * from './messages';
export { TRANSITIONS, stateAfter, IllegalTransition, type Transition } from './lifecycle';
export { DispatcherState, type Past } from './dispatcher-state';
export { PACKAGES_REMEMBERED_MAX } from './durations';
export { step } from './step';
export { standingText } from './judgements';
