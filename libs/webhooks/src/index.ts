export { newSecret, signatures } from './signature';
export {
  ATTEMPTS_MAX,
  type Answer,
  type AnswerKind,
  kindOf,
  mustDisable,
  pauseMs,
  retryAfterOf,
  retryMs,
} from './retrying';
