export { newSecret, signatures } from './signature';
export {
  ATTEMPTS_MAX,
  type SendingOutcome as Answer,
  type OutcomeKind as AnswerKind,
  kindOf,
  mustDisable,
  pauseMs,
  retryAfterOf,
  retryMs,
} from './retrying';
