import { applyDecorators, HttpCode, Injectable, Post, UseInterceptors } from '@nestjs/common';
import type { ArgumentMetadata, CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Strict } from '@proctor/contracts';
import { getMetadataStorage } from 'class-validator';
import { mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Sent } from '../../http/body.interceptor';
import type { Parameter, Parameters } from '../../http/parameters';
import { ParametersPipe } from '../../http/parameters.pipe';
import { pathOf } from '../../http/paths';
import type { ContextRequest } from '../../http/request-context';
import type { Shape } from '../../http/shape';
import { TakesForm } from '../../sessions/form-protection';
import type { Page, Redirect } from './page';

/** The question to a user before an action that is hard to undo. */
export interface Question {
  title: string;
  /** The effect of the action, with numbers. */
  lead: string;
  button: string;
  /** The page to return to without the action; by default the `then` of the form. */
  back?: string;
}

/** An action that the user must confirm first. */
export interface ConfirmedAction {
  /** A question, or a page of its own that asks or explains why there is nothing to do. */
  question: () => Question | Page | Promise<Question | Page>;
  act: () => Promise<unknown>;
}

interface FormOptions {
  status?: number;
  /** The path to open when the handler returns no page. `:name` is replaced by this parameter of the form's path. */
  then?: string;
}

/**
 * A decorator for a handler of a form. The form must come from this server: see `TakesForm`. The handler may act at once.
 * If it returns a `ConfirmedAction`, the question is shown first; its page sends the same fields again with `confirmed`.
 */
export function Form(path: string, { status = 200, then = '' }: FormOptions = {}): MethodDecorator {
  return applyDecorators(
    Post(path),
    HttpCode(status),
    TakesForm(),
    UseInterceptors(new FormActionInterceptor(then)),
  );
}

/** The field that the page of a question adds. */
const CONFIRMED = 'confirmed';

class FormActionInterceptor implements NestInterceptor<unknown, Page | Redirect> {
  constructor(private readonly then: string) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<Page | Redirect> {
    const request = context.switchToHttp().getRequest<ContextRequest>();
    const parameters = request.parameters!;
    const isConfirmed = parameters.get(CONFIRMED)?.value === 'true';
    parameters.delete(CONFIRMED);
    const fields = [...parameters].filter(([, parameter]) => !isEmpty(parameter));
    const then = this.then.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(String(request.params[name])),
    );
    return next.handle().pipe(
      mergeMap(async (answer: unknown) => {
        if (!isConfirmedAction(answer)) return this.answerOf(answer, then);
        if (!isConfirmed) {
          const question = await answer.question();
          if (isAnswer(question)) return question;
          const fieldValues = fields.map(([name, { value }]) => [name, String(value)]);
          const data = { back: then, ...question, action: pathOf(request), fields: fieldValues };
          return { template: 'admin/confirm', data };
        }
        return this.answerOf(await answer.act(), then);
      }),
    );
  }

  private answerOf(outcome: unknown, then: string): Page | Redirect {
    if (isAnswer(outcome)) return outcome;
    if (then === '') throw new Error('an action of a form has neither a page nor an address as its answer');
    return { redirectTo: then };
  }
}

function isConfirmedAction(answer: unknown): answer is ConfirmedAction {
  return typeof answer === 'object' && answer !== null && 'question' in answer && 'act' in answer;
}

function isAnswer(answer: unknown): answer is Page | Redirect {
  return typeof answer === 'object' && answer !== null && ('template' in answer || 'redirectTo' in answer);
}

function isEmpty({ value }: Parameter): boolean {
  return value === '';
}

/** Reads the class of a form. An empty field counts as absent, unless the class requires the field. */
@Injectable()
class FormPipe extends ParametersPipe {
  override transform(parameters: Parameters, metadata: ArgumentMetadata): object {
    const needed = neededFields(metadata.metatype as Shape);
    const filled = [...parameters].filter(([name, parameter]) => needed.has(name) || !isEmpty(parameter));
    return super.transform(new Map(filled), metadata);
  }
}

/** A parameter of a handler: the fields of the form. The type of the parameter is the class of the form. */
export const SentForm = (): ParameterDecorator => Sent(FormPipe);

/** A form without fields. */
@Strict()
export class NoFields {}

/** The names of the required fields. When one is empty, its validation rule has the error message. */
function neededFields(shape: Shape): ReadonlySet<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const namesOf = (isMeant: (type: string) => boolean): string[] =>
    rules.filter(({ type }) => isMeant(type)).map(({ propertyName }) => propertyName);
  const optional = new Set(namesOf((type) => type === 'conditionalValidation'));
  const ruled = namesOf((type) => type !== 'conditionalValidation' && type !== 'whitelistValidation');
  return new Set(ruled.filter((name) => !optional.has(name)));
}
